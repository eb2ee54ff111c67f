package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.internal.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Repeats one call by a {@link Retry}. */
final class Retrying {
  private final Engine engine;
  private final Retry retry;
  private final Call call;
  private final Attempt inner;
  private final Ongoing<@Nullable Object> outcome = new Ongoing<>(this::stop);

  // Guarded by this.
  private @Nullable CompletableFuture<?> running;
  private Clock.@Nullable Timer timer;

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
    attempt(1);
    return outcome;
  }

  private void attempt(int number) {
    if (outcome.isDone()) {
      return;
    }
    CompletableFuture<@Nullable Object> started = inner.start();
    synchronized (this) {
      running = started;
    }
    outcome.after(started, (result, failure) -> ended(number, result, failure));
    if (outcome.isDone()) {
      started.cancel(true);
    }
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
    Clock.Timer next = engine.after(pause, () -> attempt(number + 1));
    synchronized (this) {
      timer = next;
    }
    if (outcome.isDone()) {
      next.cancel();
    }
  }

  /** Ends the attempt that runs, and the pause; the call was cancelled. */
  private void stop() {
    CompletableFuture<?> present;
    Clock.Timer next;
    synchronized (this) {
      present = running;
      next = timer;
    }
    if (next != null) {
      next.cancel();
    }
    if (present != null) {
      present.cancel(true);
    }
  }
}
