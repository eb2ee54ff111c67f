package dev.repartee.broker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The time that a worker has to close: the limit for its messages, then a second in which the broker
 * takes the last answers. Begins when it is created. Thread-safe.
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

  /** Returns the time that is left for the messages; zero after the limit. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, due - System.nanoTime()));
  }

  /** Runs an action after the end of the worker, or when the time for the last answers is over. */
  public void cut(CompletableFuture<?> ended, Runnable action) {
    ended
        .copy()
        .completeOnTimeout(null, left().toMillis() + WRITE_MILLIS, TimeUnit.MILLISECONDS)
        .thenRun(action);
  }
}
