package dev.repartee.reconnect;

import dev.repartee.RawPeer;
import dev.repartee.internal.HeldPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A TCP server whose every step is one of the test. */
public final class RawServer implements AutoCloseable {
  private static final int MILLIS = 60_000;

  private final HeldPort port;
  private final ServerSocket socket = new ServerSocket();

  public RawServer() throws IOException {
    this(new HeldPort());
  }

  /** Listens on a port, which it releases at its end. */
  public RawServer(HeldPort port) throws IOException {
    this.port = port;
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()));
    socket.setSoTimeout(MILLIS);
  }

  public int port() {
    return socket.getLocalPort();
  }

  public String uri() {
    return "tcp://127.0.0.1:" + port();
  }

  public RawPeer accept() throws IOException {
    return new RawPeer(socket.accept());
  }

  /** Refuses connections from now on. */
  public void stop() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    stop();
    port.close();
  }
}
