package dev.repartee.testkit;

import dev.repartee.Endpoint;
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
 * Stands between clients and a server, passes on what they say to each other byte by byte, and does to
 * it what its {@link Faults} say. Real sockets, of TCP or Unix, so it is good for all that is spoken
 * over them: {@code tcp:}, {@code unix:}, {@code http:}, {@code ws:}. Two threads for each connection.
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

  /** In front of that server, with no faults for now; beside it, where it has a path. */
  public static FaultProxy to(Endpoint server) throws IOException {
    Endpoint place = isUnix(server) ? server.at(server.address() + ".proxy") : withPort(server, 0);
    return at(place, () -> server, () -> Faults.NONE);
  }

  /**
   * Where that says, with port 0 for a free one.
   *
   * @param server what a new connection goes to
   * @param faults what goes wrong on it
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

  /** What a client connects to: the server's endpoint at another place. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** These happen from now on, on all connections, as if nothing had passed before. */
  public void strike(Faults now) {
    faults = () -> now;
    connections.forEach(connection -> connection.strike(now));
  }

  /** Ends every connection that there is now. */
  public void cut() {
    connections.forEach(FaultyConnection::cut);
  }

  /** Resets every connection that there is now. */
  public void reset() {
    connections.forEach(FaultyConnection::reset);
  }

  private void accept() {
    try {
      while (true) {
        pass(listening.accept());
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  private void pass(SocketChannel client) throws IOException {
    SocketChannel server;
    try {
      server = SocketChannel.open(address(target.get()));
    } catch (IOException | RuntimeException e) {
      client.close(); // nobody is there
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

  /** Accepts nothing more, resets all connections, and waits until its threads have ended. */
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
