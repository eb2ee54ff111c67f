package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The transport {@code stdio:} over the standard input and output of this process. It uses the file
 * descriptors directly, not {@link System#in} and {@link System#out}, and never closes them.
 *
 * <p>While the channel is open, {@link System#out} prints to standard error, because anything else
 * on standard output would corrupt the messages. The option {@code #prints=keep} leaves it as it
 * is.
 */
final class StdioTransport implements Transport {
  private static final String PRINTS = "prints";

  /** Whether a channel is open. Two of them would each read a part of the messages. */
  private static final AtomicBoolean IN_USE = new AtomicBoolean();

  @Override
  public Set<String> schemes() {
    return Set.of("stdio");
  }

  @Override
  public Set<String> options() {
    return Set.of(PRINTS);
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    return open(endpoint, limits, Framing.LINES);
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    acceptor.accept(open(endpoint, limits, Framing.AUTO));
    return new Single(endpoint);
  }

  private static Channel open(Endpoint endpoint, Limits limits, Framing otherwise)
      throws IOException {
    if (!endpoint.address().isEmpty()) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' has an address, but 'stdio:' accepts none");
    }
    Framing framing = endpoint.framing(otherwise);
    String prints = endpoint.option(PRINTS, "stderr");
    if (!prints.equals("stderr") && !prints.equals("keep")) {
      throw new IllegalArgumentException("'" + endpoint + "' has the unknown value '" + prints
          + "' of prints; known are stderr, keep");
    }
    if (!IN_USE.compareAndSet(false, true)) {
      throw new IOException("cannot open stdio: again: another connection of this process uses"
          + " standard input and output; close that one first");
    }
    Standard streams = new Standard(prints.equals("stderr"));
    return new StreamChannel(new ChannelInfo("stdio", "", ""), framing, limits, streams);
  }

  /** A listening endpoint whose only connection was accepted before it was made. */
  record Single(Endpoint endpoint) implements Listening {
    @Override
    public boolean isSingle() {
      return true;
    }

    @Override
    public void close() {}
  }

  private static final class Standard implements StreamChannel.Duplex {
    private final PrintStream before = System.out;
    private final PrintStream during;

    /** Opens the streams; moves the prints of the application to standard error, if asked to. */
    Standard(boolean moved) {
      this.during = moved ? System.err : before;
      System.setOut(during);
    }

    /** Moves the prints back, unless the application has set another stream. */
    @Override
    public void release() {
      if (System.out == during) {
        System.setOut(before);
      }
      IN_USE.set(false);
    }

    @Override
    public InputStream input() {
      return new FileInputStream(FileDescriptor.in);
    }

    @Override
    public OutputStream output() {
      return new FileOutputStream(FileDescriptor.out);
    }

    @Override
    public void close() {}

    @Override
    public void abort() {}
  }
}
