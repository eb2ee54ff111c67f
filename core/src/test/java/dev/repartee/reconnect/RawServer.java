package dev.repartee.reconnect;

import dev.repartee.RawPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A TCP server whose every step is one of the test. */
final class RawServer implements AutoCloseable {
  private static final int MILLIS = 20_000;

  private final ServerSocket socket;

  RawServer() throws IOException {
    this(0);
  }

  RawServer(int port) throws IOException {
    socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(MILLIS);
  }

  int port() {
    return socket.getLocalPort();
  }

  String uri() {
    return "tcp://127.0.0.1:" + port();
  }

  RawPeer accept() throws IOException {
    return new RawPeer(socket.accept());
  }

  /** Refuses connections from now on. */
  void stop() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
