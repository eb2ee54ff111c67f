package dev.repartee.transport.http.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A connection to a target. One thread at a time uses it. Any thread may {@link #close} it, which
 * ends an operation that blocks; for this reason it uses a channel, and has no time-outs.
 */
final class ClientSocket implements Closeable {
  /** Receives a channel before it is connected, to close it if the exchange ends. */
  interface Opening {
    void opened(SocketChannel channel) throws IOException;
  }

  /** The JDK copies each piece into direct memory of its size, which the thread keeps. */
  private static final int PIECE = 64 << 10;

  private final SocketChannel channel;

  /** The input of the answers. */
  final ResponseReader in;

  private final OutputStream out;

  private ClientSocket(SocketChannel channel, Socket socket) throws IOException {
    this.channel = channel;
    this.in = new ResponseReader(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /**
   * Connects, through the proxy of the target if it has one, and shakes hands.
   *
   * @param tls loads the context, which is slow, for a secure target only
   */
  static ClientSocket open(Target target, Supplier<SSLContext> tls, Opening opening)
      throws IOException {
    InetSocketAddress proxy = target.proxy();
    SocketChannel channel = proxy == null
        ? connect(target.host(), target.port(), opening)
        : connect(proxy.getHostString(), proxy.getPort(), opening);
    Socket socket = channel.socket();
    socket.setTcpNoDelay(true);
    if (!target.isSecure()) {
      return new ClientSocket(channel, socket);
    }
    if (proxy != null) {
      tunnel(new ClientSocket(channel, socket), target);
    }
    SSLSocket secure = (SSLSocket)
        tls.get().getSocketFactory().createSocket(socket, target.host(), target.port(), true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return new ClientSocket(channel, secure);
  }

  /** Connects to the first address of a host that accepts the connection. */
  private static SocketChannel connect(String host, int port, Opening opening) throws IOException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw unreachable("the name of the host is unknown", e);
    }
    for (int i = 0; ; i++) {
      SocketChannel channel = SocketChannel.open();
      opening.opened(channel);
      try {
        channel.connect(new InetSocketAddress(addresses[i], port));
        return channel;
      } catch (IOException e) {
        channel.close();
        if (i == addresses.length - 1) {
          throw e instanceof ConnectException ? e : unreachable(String.valueOf(e.getMessage()), e);
        }
      }
    }
  }

  private static ConnectException unreachable(String reason, IOException cause) {
    ConnectException unreachable = new ConnectException(reason);
    unreachable.initCause(cause);
    return unreachable;
  }

  /** Asks the proxy for a connection to the target (RFC 9110 section 9.3.6). */
  private static void tunnel(ClientSocket proxy, Target target) throws IOException {
    String to = target.authority();
    proxy.write(("CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n").getBytes(US_ASCII));
    int status = proxy.in.head().statusCode();
    if (status / 100 != 2 || !proxy.in.isEmpty()) {
      throw new ConnectException("the proxy does not connect, but answers HTTP status " + status);
    }
  }

  /** Sends bytes. */
  void write(byte[] bytes) throws IOException {
    for (int from = 0; from < bytes.length; from += PIECE) {
      out.write(bytes, from, Math.min(PIECE, bytes.length - from));
    }
    out.flush();
  }

  /**
   * Returns whether the server has sent nothing since the last answer, not even the end of the
   * connection. To be called between two exchanges only.
   */
  boolean isQuiet() {
    try {
      channel.configureBlocking(false);
      boolean isQuiet = in.isEmpty() && channel.read(ByteBuffer.allocate(1)) == 0;
      channel.configureBlocking(true);
      return isQuiet;
    } catch (IOException e) {
      return false;
    }
  }

  SocketChannel channel() {
    return channel;
  }

  /** Closes the connection. Does not block: sends no farewell of TLS to a server that may stall. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
