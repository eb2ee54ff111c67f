package dev.repartee.broker;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.Times;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The time limit for closing a worker: the limit for its messages, then one second for sending the
 * last answers to the broker. Starts when it is created. Thread-safe.
 */
public final class ClosingTime {
  private static final Duration WRITE = Duration.ofSeconds(1);

  private final Clock clock;
  private final long due;

  /**
   * @param limits have the clock
   * @param limit the time for the messages
   */
  public ClosingTime(Limits limits, Duration limit) {
    this.clock = TimeLimits.clock(limits);
    this.due = clock.nanos() + Times.nanos(limit);
  }

  /** Returns the remaining time for the messages; zero after the limit. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, due - clock.nanos()));
  }

  /** Returns a stage that completes when another one has ended, or after a time. */
  public CompletionStage<?> atMost(Duration time, CompletionStage<?> stage) {
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    Clock.Timer timer = clock.schedule(time, Threads.CALLS, () -> over.complete(null));
    stage.whenComplete((ok, failure) -> {
      timer.cancel();
      over.complete(null);
    });
    return over;
  }

  /**
   * Runs an action after the end of the worker, or when the time for the last answers has passed.
   */
  public void cut(CompletionStage<?> ended, Runnable action) {
    atMost(left().plus(WRITE), ended).thenRun(action);
  }
}
