package dev.repartee.conformance;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection after a time limit. A blocking write to a peer that does not read has no
 * time-out, nor has a reply that arrives byte by byte.
 */
final class TimeLimit implements AutoCloseable {
  private static final ScheduledExecutorService CLOCK =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "conformance-clock");
        thread.setDaemon(true);
        return thread;
      });

  private final Future<?> end;
  private volatile boolean passed;

  /** Closes the connection after that time, unless this object is closed first. */
  TimeLimit(Duration time, AutoCloseable connection) {
    end = CLOCK.schedule(() -> end(connection), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void end(AutoCloseable connection) {
    passed = true;
    try {
      connection.close();
    } catch (Exception e) {
      // The thread that uses the connection gets its own exception.
    }
  }

  /** Returns whether the time limit has passed and the connection was closed. */
  boolean isPassed() {
    return passed;
  }

  @Override
  public void close() {
    end.cancel(false);
  }
}
