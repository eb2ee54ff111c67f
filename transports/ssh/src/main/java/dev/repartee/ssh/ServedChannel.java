package dev.repartee.ssh;

import dev.repartee.transport.Channel;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.apache.sshd.server.session.ServerSession;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a server, from the view of the SSH library: a command with standard input and
 * output. The library sets the streams and the callback before it calls {@link #start}.
 *
 * <p>If the client closes its channel, its last messages may still be unread. The channel of the
 * service therefore ends after they were read, or immediately if the end of input was already
 * reported. This object guards {@code destroyed} and {@code inputEnded}.
 */
final class ServedChannel implements Command, SshChannel.End {
  private final SshListening listening;
  private final ServerSession session;
  private @Nullable InputStream in;
  private @Nullable OutputStream out;
  private @Nullable ExitCallback exit;
  private volatile @Nullable ChannelOutput sending;
  private boolean destroyed;
  private boolean inputEnded;
  private volatile boolean started;

  /** Null before the start. */
  volatile @Nullable SshChannel channel;

  ServedChannel(SshListening listening, ServerSession session) {
    this.listening = listening;
    this.session = session;
  }

  Session session() {
    return session;
  }

  @Override
  public void setInputStream(InputStream in) {
    this.in = in;
  }

  @Override
  public void setOutputStream(OutputStream out) {
    this.out = out;
  }

  @Override
  public void setErrorStream(OutputStream err) {
    // Nothing is written to it.
  }

  @Override
  public void setExitCallback(ExitCallback callback) {
    this.exit = callback;
  }

  @Override
  public void start(ChannelSession channelSession, Environment environment) {
    InputStream input = in;
    OutputStream output = out;
    if (input != null && output != null) {
      started = true;
      ChannelOutput sent = new ChannelOutput(output);
      sending = sent;
      Channel streams = Channel.over(
          new Input(input, sent, channelSession), sent, listening.framing(), listening.limits());
      listening.accept(this, streams, session);
    }
  }

  @Override
  public void destroy(ChannelSession channelSession) {
    SshChannel served = channel;
    ChannelOutput sent = sending;
    boolean now;
    synchronized (this) {
      destroyed = true;
      now = inputEnded && (sent == null || !sent.isClosed()); // otherwise both sides have ended it
    }
    if (!started) {
      listening.ended(this, session);
    } else if (now && served != null) {
      served.abort(gone());
    }
  }

  @Override
  public synchronized @Nullable Throwable reason() {
    inputEnded = true;
    return destroyed ? gone() : null;
  }

  private static IOException gone() {
    return new IOException("the client has closed its SSH channel");
  }

  @Override
  public void closed() {
    listening.ended(this, session);
  }

  @Override
  public void refused() {
    exit(1, false);
    closed();
  }

  private void exit(int status, boolean immediately) {
    ExitCallback callback = exit;
    if (callback != null) {
      callback.onExit(status, "", immediately);
    }
  }

  /** Closing it ends the channel: normally if the output has ended before. */
  private final class Input extends FilterInputStream {
    private final ChannelOutput output;
    private final ChannelSession channelSession;

    Input(InputStream in, ChannelOutput output, ChannelSession channelSession) {
      super(in);
      this.output = output;
      this.channelSession = channelSession;
    }

    @Override
    public void close() throws IOException {
      if (output.isClosed()) {
        exit(0, false);
      } else {
        channelSession.close(true);
      }
      in.close();
    }
  }
}
