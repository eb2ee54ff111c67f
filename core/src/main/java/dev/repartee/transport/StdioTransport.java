package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;

/**
 * The transport {@code stdio:} over the standard input and output of this process. It uses the file
 * descriptors directly, not {@link System#in} and {@link System#out}, and never closes them.
 * Nothing else may be printed to standard output, since it would corrupt the messages.
 */
final class StdioTransport implements Transport {
  @Override
  public Set<String> schemes() {
    return Set.of("stdio");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) {
    return open(endpoint, limits, Framing.LINES);
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) {
    acceptor.accept(open(endpoint, limits, Framing.AUTO));
    return new Single(endpoint);
  }

  private static Channel open(Endpoint endpoint, Limits limits, Framing otherwise) {
    if (!endpoint.address().isEmpty()) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' has something behind 'stdio:', which takes no address");
    }
    Framing framing = Transports.framing(endpoint, otherwise);
    return new StreamChannel(new ChannelInfo("stdio", "", ""), framing, limits, new Standard());
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
