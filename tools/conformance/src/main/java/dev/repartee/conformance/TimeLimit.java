package dev.repartee.conformance;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import java.time.Duration;

/**
 * Closes a connection after a time limit. A blocking write to a peer that does not read has no
 * time-out, nor has a reply that arrives byte by byte.
 */
final class TimeLimit implements AutoCloseable {
  private final Clock.Timer end;
  private volatile boolean passed;

  /** Closes the connection after that time, unless this object is closed first. */
  TimeLimit(Duration time, AutoCloseable connection) {
    end = Clock.SYSTEM.schedule(time, Threads.CALLS, () -> end(connection));
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
    end.cancel();
  }
}
