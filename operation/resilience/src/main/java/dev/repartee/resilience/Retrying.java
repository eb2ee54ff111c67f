package dev.repartee.resilience;

import dev.repartee.Call;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Repeats one call by a {@link Retry}. */
final class Retrying {
  private final Engine engine;
  private final Retry retry;
  private final Call call;
  private final Attempt inner;
  private final Ongoing<@Nullable Object> outcome = new Ongoing<>();

  // Guarded by this.

  /** The number of the newest step: 2n for attempt n, 2n + 1 for the pause after it. */
  private long step;

  /**
   * Cancels the newest step. The call keeps no earlier one: an attempt may have a large error, and
   * there may be many.
   */
  private Runnable canceller = () -> {};

  private Retrying(Engine engine, Retry retry, Call call, Attempt inner) {
    this.engine = engine;
    this.retry = retry;
    this.call = call;
    this.inner = inner;
  }

  static Step step(Engine engine, Retry retry) {
    return (call, inner) -> () -> new Retrying(engine, retry, call, inner).start();
  }

  private CompletableFuture<@Nullable Object> start() {
    outcome.onEnd(() -> canceller().run());
    attempt(1);
    return outcome;
  }

  private void attempt(int number) {
    if (outcome.isDone()) {
      return;
    }
    CompletableFuture<@Nullable Object> attempt = inner.start();
    begun(2L * number, () -> attempt.cancel(true));
    outcome.after(attempt, (result, failure) -> ended(number, result, failure));
  }

  /** Cancels a step at the end of the call, unless a later one has begun meanwhile. */
  private void begun(long step, Runnable canceller) {
    synchronized (this) {
      if (step > this.step) {
        this.step = step;
        this.canceller = canceller;
      }
    }
    if (outcome.isDone()) {
      canceller.run();
    }
  }

  private synchronized Runnable canceller() {
    return canceller;
  }

  private void ended(int number, @Nullable Object result, @Nullable Throwable failure) {
    Duration pause = failure == null || outcome.isDone() || !call.peer().isOpen()
        ? null
        : retry.pause(call, engine.isIdempotent(call), number, failure);
    if (pause == null || !engine.acquire(call)) {
      outcome.end(result, failure);
      return;
    }
    engine.report(Outcome.RETRIED, call);
    begun(2L * number + 1, engine.after(pause, () -> attempt(number + 1))::cancel);
  }
}
