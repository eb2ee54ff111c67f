package dev.repartee.conformance;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection that is used for too long. A blocking write to a peer that does not read has no
 * time-out of its own, and neither has a reply that comes byte by byte.
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

  /** Ends the connection after that time, unless this is closed before. */
  TimeLimit(Duration time, AutoCloseable connection) {
    end = CLOCK.schedule(() -> end(connection), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void end(AutoCloseable connection) {
    passed = true;
    try {
      connection.close();
    } catch (Exception e) {
      // Its user is told by its own exception.
    }
  }

  /** Whether the connection was ended. */
  boolean isPassed() {
    return passed;
  }

  @Override
  public void close() {
    end.cancel(false);
  }
}
