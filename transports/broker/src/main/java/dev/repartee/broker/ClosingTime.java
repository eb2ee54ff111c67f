package dev.repartee.broker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The time limit for closing a worker: the limit for its messages, then one second for sending the
 * last answers to the broker. Starts when it is created. Thread-safe.
 */
public final class ClosingTime {
  private static final long WRITE_MILLIS = 1_000;

  private final long due;

  /**
   * @param limit the time for the messages
   */
  public ClosingTime(Duration limit) {
    this.due = System.nanoTime() + limit.toNanos();
  }

  /** Returns the remaining time for the messages; zero after the limit. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, due - System.nanoTime()));
  }

  /**
   * Runs an action after the end of the worker, or when the time for the last answers has passed.
   */
  public void cut(CompletableFuture<?> ended, Runnable action) {
    ended
        .copy()
        .completeOnTimeout(null, left().toMillis() + WRITE_MILLIS, TimeUnit.MILLISECONDS)
        .thenRun(action);
  }
}
