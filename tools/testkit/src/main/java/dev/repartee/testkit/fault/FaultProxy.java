package dev.repartee.testkit.fault;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * A proxy between clients and a server that forwards their bytes and applies {@link Faults} to
 * them. It uses real TCP or Unix sockets and works for {@code tcp:}, {@code unix:}, {@code http:}
 * and {@code ws:}. It has two threads for each connection. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private final Supplier<Endpoint> target;
  private final ServerSocketChannel listening;
  private final Endpoint endpoint;
  private final Thread acceptor = new Thread(this::accept, "fault-proxy");
  private final Set<FaultyConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile Supplier<Faults> faults;

  private FaultProxy(Endpoint place, Supplier<Endpoint> target, Supplier<Faults> faults)
      throws IOException {
    this.target = target;
    this.faults = faults;
    boolean unix = isUnix(place);
    listening =
        unix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
    listening.bind(address(place));
    endpoint = unix ? place : withPort(place, listening.socket().getLocalPort());
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /**
   * Starts a proxy in front of a server, without faults. It listens on a free port, or for a Unix
   * socket at the path of the server with the suffix {@code .proxy}.
   */
  public static FaultProxy to(Endpoint server) throws IOException {
    Endpoint place = isUnix(server) ? server.at(server.address() + ".proxy") : withPort(server, 0);
    return at(place, () -> server, () -> Faults.NONE);
  }

  /**
   * Starts a proxy at an endpoint; port 0 selects a free port.
   *
   * @param server returns the endpoint of the server for each new connection
   * @param faults returns the faults of each new connection
   * @throws IOException if the endpoint cannot be bound
   */
  public static FaultProxy at(Endpoint place, Supplier<Endpoint> server, Supplier<Faults> faults)
      throws IOException {
    return new FaultProxy(place, server, faults);
  }

  private static boolean isUnix(Endpoint endpoint) {
    return endpoint.scheme().equals("unix");
  }

  private static Endpoint withPort(Endpoint endpoint, int port) {
    return endpoint.at(endpoint.address().replaceFirst(":[0-9]+", ":" + port));
  }

  private static SocketAddress address(Endpoint endpoint) {
    if (isUnix(endpoint)) {
      return UnixDomainSocketAddress.of(endpoint.address());
    }
    URI uri = URI.create(endpoint.bare().toString());
    return new InetSocketAddress(uri.getHost(), uri.getPort());
  }

  /**
   * Returns the endpoint for clients: the endpoint of the server, but with the address of this
   * proxy.
   */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Applies faults to all current and new connections, and restarts their byte counts. */
  public void strike(Faults now) {
    faults = () -> now;
    connections.forEach(connection -> connection.strike(now));
  }

  /** Closes all current connections. */
  public void cut() {
    connections.forEach(FaultyConnection::cut);
  }

  /** Resets all current connections. */
  public void reset() {
    connections.forEach(FaultyConnection::reset);
  }

  private void accept() {
    try {
      while (true) {
        pass(listening.accept());
      }
    } catch (IOException e) {
      // The proxy was closed.
    }
  }

  private void pass(SocketChannel client) throws IOException {
    SocketChannel server;
    try {
      server = SocketChannel.open(address(target.get()));
    } catch (IOException | RuntimeException e) {
      client.close(); // the server cannot be reached
      return;
    }
    if (!isUnix(endpoint)) {
      client.setOption(StandardSocketOptions.TCP_NODELAY, true);
      server.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    FaultyConnection connection =
        new FaultyConnection(client, server, faults.get(), connections::remove);
    connections.add(connection);
    connection.start();
    if (!listening.isOpen()) {
      connection.reset();
    }
  }

  /** Stops listening, resets all connections, and waits until the threads have ended. */
  @Override
  public void close() throws IOException {
    listening.close();
    if (isUnix(endpoint)) {
      Files.deleteIfExists(Path.of(endpoint.address()));
    }
    try {
      acceptor.join();
      for (FaultyConnection connection : connections) {
        connection.reset();
        connection.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
