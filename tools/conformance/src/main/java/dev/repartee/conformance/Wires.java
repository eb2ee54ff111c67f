package dev.repartee.conformance;

import dev.repartee.Options;
import dev.repartee.framing.Framing;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** Opens the connection for the scheme of an endpoint. */
final class Wires {
  private static final Set<String> HTTP = Set.of("http", "https");
  private static final Set<String> STREAMS = Set.of("tcp", "unix", "exec");

  private Wires() {}

  /** Returns whether a case with that value of {@link Case#over} applies to the endpoint. */
  static boolean applies(String over, Endpoint endpoint) {
    if (over.startsWith("framing:")) {
      return STREAMS.contains(endpoint.scheme())
          && over.equals("framing:" + framing(endpoint).label());
    }
    boolean http = HTTP.contains(endpoint.scheme());
    return over.equals("any") || over.equals(http ? "http" : "connection");
  }

  /**
   * Connects.
   *
   * @throws IOException with a message that names the endpoint
   * @throws IllegalArgumentException if the endpoint is invalid
   */
  static Wire connect(Endpoint endpoint, Options options) throws IOException {
    if (HTTP.contains(endpoint.scheme())) {
      return new HttpWire(endpoint, options);
    }
    try {
      return switch (endpoint.scheme()) {
        case "tcp" -> tcp(endpoint, options);
        case "unix" -> unix(endpoint, options);
        case "exec" -> exec(endpoint, options);
        default -> new ChannelWire(Transport.open(endpoint, options.limits(), options.headers()));
      };
    } catch (IOException e) {
      throw new IOException(
          "cannot connect to " + Endpoint.shown(endpoint.toString()) + ": " + e.getMessage(), e);
    }
  }

  /** Returns the framing of the endpoint. A server that detects the framing gets lines. */
  private static Framing framing(Endpoint endpoint) {
    Framing framing = Framing.named(endpoint.option("framing", Framing.LINES.label()));
    return framing == Framing.AUTO ? Framing.LINES : framing;
  }

  private static Wire tcp(Endpoint endpoint, Options options) throws IOException {
    URI at = URI.create(endpoint.bare().toString());
    if (at.getHost() == null || at.getPort() < 0) {
      throw new IllegalArgumentException("'" + endpoint + "' is not tcp://HOST:PORT");
    }
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(at.getHost(), at.getPort()), (int)
        options.limits().connectTimeout().toMillis());
    socket.setTcpNoDelay(true);
    return new StreamWire(
        socket.getInputStream(),
        socket.getOutputStream(),
        framing(endpoint),
        socket,
        socket,
        options.limits().callTimeout());
  }

  private static Wire unix(Endpoint endpoint, Options options) throws IOException {
    SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(endpoint.address()));
    return new StreamWire(
        Channels.newInputStream(socket),
        new ChannelOutput(socket),
        framing(endpoint),
        socket,
        socket,
        options.limits().callTimeout());
  }

  /** A replacement for {@link Channels}: on JDK 17 its stream blocks writes during a read. */
  private static final class ChannelOutput extends OutputStream {
    private final SocketChannel socket;

    ChannelOutput(SocketChannel socket) {
      this.socket = socket;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(bytes, from, count);
      while (left.hasRemaining()) {
        socket.write(left);
      }
    }
  }

  private static Wire exec(Endpoint endpoint, Options options) throws IOException {
    Process process = new ProcessBuilder(endpoint.command())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    ChildProcess child = new ChildProcess(process);
    return new StreamWire(
        process.getInputStream(),
        process.getOutputStream(),
        framing(endpoint),
        child,
        child::kill,
        options.limits().callTimeout());
  }
}
