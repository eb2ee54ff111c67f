package dev.repartee.spring;

import dev.repartee.Peer;
import dev.repartee.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The servers of the application: that of its web server, and those of {@code repartee.listen}. A
 * bean of this type exists always. Inject it to call the clients that are connected. Thread-safe.
 */
public final class RpcServers {
  private final List<Server> servers = new CopyOnWriteArrayList<>();
  private final List<Runnable> restarts = new CopyOnWriteArrayList<>();

  RpcServers() {}

  /** Adds a server that {@link #close} closes. */
  void add(Server server) {
    servers.add(server);
  }

  /**
   * Adds a server that another part of the application has started.
   *
   * @param restart starts another server, and adds it, when the application starts again
   */
  void add(Server server, Runnable restart) {
    servers.add(server);
    restarts.add(restart);
  }

  /** Replaces the servers after {@link #close}. */
  void restart() {
    List<Runnable> again = List.copyOf(restarts);
    servers.clear();
    restarts.clear();
    again.forEach(Runnable::run);
  }

  /** Returns the servers that were started up to now. */
  public List<Server> all() {
    return List.copyOf(servers);
  }

  /** Returns the connections that are open now, over WebSocket and sockets. The set is a copy. */
  public Set<Peer> peers() {
    return servers.stream()
        .flatMap(server -> server.peers().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Sends a notification with arguments by position to all open connections; see {@link
   * Server#broadcast(String, Object...)}. Clients over HTTP have no connection here.
   *
   * @return the number of connections that do not get it, because they are too slow
   */
  public int broadcast(String method, @Nullable Object... args) {
    return servers.stream().mapToInt(server -> server.broadcast(method, args)).sum();
  }

  /** Closes all servers at the same time, as {@link Server#close(Duration)} does, and waits. */
  void close(Duration limit) {
    List<Thread> closing = servers.stream()
        .map(server -> new Thread(() -> server.close(limit), "repartee-close"))
        .toList();
    closing.forEach(Thread::start);
    try {
      for (Thread thread : closing) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
