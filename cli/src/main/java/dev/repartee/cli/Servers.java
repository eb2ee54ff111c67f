package dev.repartee.cli;

import dev.repartee.Server;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The servers of one process, which end together. Thread-safe. */
final class Servers implements AutoCloseable {
  /** What running calls have to finish; well inside the ten seconds that supervisors give. */
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private static final long PATIENCE_MILLIS = DRAIN.plusSeconds(2).toMillis();

  private final List<Server> servers = new CopyOnWriteArrayList<>();

  void add(Server server) {
    servers.add(server);
  }

  /** Waits until none has anything left to serve; by itself only standard input comes to that. */
  void join() throws InterruptedException {
    for (Server server : servers) {
      server.join();
    }
  }

  /** Closes all at once, so that their times to drain do not add up. */
  @Override
  public void close() {
    List<Thread> closing = servers.stream()
        .map(server -> new Thread(() -> server.close(DRAIN), "close"))
        .toList();
    for (Thread thread : closing) {
      thread.setDaemon(true);
      thread.start();
    }
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    try {
      for (Thread thread : closing) {
        thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
