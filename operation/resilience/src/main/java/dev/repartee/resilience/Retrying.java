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
    outcome.attempt(inner.start(), (result, failure) -> ended(number, result, failure));
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
    outcome.onEnd(engine.after(pause, () -> attempt(number + 1))::cancel);
  }
}
