package dev.repartee.cli.options;

import dev.repartee.Server;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The servers of one process, which are closed together. Thread-safe. */
public final class Servers implements AutoCloseable {
  /** The time for running calls to finish; less than the ten seconds that supervisors allow. */
  private static final Duration DRAIN = Duration.ofSeconds(5);

  /** The time limit of closing all servers. */
  private static final long PATIENCE_MILLIS = DRAIN.plusSeconds(2).toMillis();

  private final List<Server> servers = new CopyOnWriteArrayList<>();

  void add(Server server) {
    servers.add(server);
  }

  /**
   * Waits until every server has ended. Unless it is closed, only a server of standard input ends:
   * at the end of its input.
   */
  void join() throws InterruptedException {
    for (Server server : servers) {
      server.join();
    }
  }

  /** Closes all servers in parallel; otherwise their drain times would add up. */
  @Override
  public void close() {
    List<Thread> closing = servers.stream()
        .map(server -> Threads.daemon("close", () -> server.close(DRAIN)))
        .toList();
    closing.forEach(Thread::start);
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
