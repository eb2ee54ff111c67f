package dev.repartee.ssh;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.Set;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ClientChannel;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs on the remote machine: its standard input and output as streams, and the
 * reason of its end. The connection belongs to the command and ends with it.
 *
 * <p>When the output of this side is closed, the command sees the end of its input and has a short
 * time to exit. When the input of this side is closed first, everything ends immediately.
 */
final class RemoteCommand implements SshChannel.End {
  /** The time that a command has to exit after the end of its input. */
  private static final long PATIENCE_MILLIS = 2_000;

  /** The time to wait for the exit status after the end of the output. */
  private static final long STATUS_MILLIS = 1_000;

  private final SshClient client;
  private final ClientChannel channel;
  private final ErrorLines errors;
  private final String name;
  private final ChannelOutput output;

  /**
   * Creates the command; its channel is open.
   *
   * @param name the host and port, for messages
   */
  RemoteCommand(SshClient client, ClientChannel channel, ErrorLines errors, String name) {
    this.client = client;
    this.channel = channel;
    this.errors = errors;
    this.name = name;
    this.output = new ChannelOutput(channel.getInvertedIn());
  }

  InputStream input() {
    return new Input(channel.getInvertedOut());
  }

  OutputStream output() {
    return output;
  }

  @Override
  public Throwable reason() {
    Integer status = channel.getExitStatus();
    String signal = channel.getExitSignal();
    if (status != null) {
      return new IOException(
          "the command on " + name + " ended with exit status " + status + hint(status));
    }
    if (signal != null) {
      return new IOException("the command on " + name + " was ended by the signal " + signal);
    }
    return new IOException(
        channel.isOpen()
            ? "the command on " + name + " has closed its standard output"
            : "the SSH connection to " + name + " was lost");
  }

  private static String hint(int status) {
    return status == 127
        ? "; a shell returns this status if it does not find the command; an absolute path needs"
            + " a second slash: ssh://HOST//PATH"
        : "";
  }

  @Override
  public void closed() {
    errors.close();
  }

  private boolean awaits(Set<ClientChannelEvent> events, long millis) {
    return !channel.waitFor(events, millis).contains(ClientChannelEvent.TIMEOUT);
  }

  /** Ends the connection. Does not wait, since the calling thread may be one of the connection. */
  private void end() {
    client.close(true);
  }

  private final class Input extends FilterInputStream {
    Input(InputStream in) {
      super(in);
    }

    /** Reads. A lost connection counts as the end of the input; the channel reports the reason. */
    @Override
    public int read(byte[] bytes, int from, int count) {
      int read;
      try {
        read = in.read(bytes, from, count);
      } catch (IOException e) {
        read = -1;
      }
      if (read < 0) {
        awaits(
            EnumSet.of(
                ClientChannelEvent.EXIT_STATUS,
                ClientChannelEvent.EXIT_SIGNAL,
                ClientChannelEvent.CLOSED),
            STATUS_MILLIS);
      }
      return read;
    }

    @Override
    public void close() {
      if (output.isClosed()) {
        awaits(EnumSet.of(ClientChannelEvent.CLOSED), PATIENCE_MILLIS);
      }
      end();
    }
  }

  /** Returns the reason of a failure that the library has wrapped in other exceptions. */
  static @Nullable String cause(@Nullable Throwable failure) {
    String message = null;
    for (Throwable e = failure; e != null; e = e.getCause()) {
      message = e.getMessage() == null ? message : e.getMessage();
    }
    return message;
  }
}
