package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.RpcException;
import dev.repartee.internal.Clock;
import dev.repartee.internal.PerName;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes one call by a {@link Hedge}. */
final class Hedging {
  private final Engine engine;
  private final Call call;
  private final Attempt inner;
  private final @Nullable Latencies latencies;
  private final long start;
  private final Ongoing<@Nullable Object> outcome = new Ongoing<>();

  // Guarded by this.
  private boolean hasFirstEnded;
  private boolean isHedged;
  private @Nullable Throwable failure;

  private Hedging(Engine engine, Call call, Attempt inner, @Nullable Latencies latencies) {
    this.engine = engine;
    this.call = call;
    this.inner = inner;
    this.latencies = latencies;
    this.start = engine.nanos();
  }

  static Step step(Engine engine, Hedge hedge) {
    PerPeer<PerName<Latencies>> peers = PerPeer.perMethod(() -> new Latencies(hedge.quantile));
    return (call, inner) -> {
      if (call.isBatched() || !hedge.applies(call.method()) || !engine.isIdempotent(call)) {
        return inner;
      }
      Latencies latencies = hedge.quantile == 0 ? null : peers.of(call.peer()).of(call.method());
      return () -> new Hedging(engine, call, inner, latencies).start(hedge);
    };
  }

  private CompletableFuture<@Nullable Object> start(Hedge hedge) {
    outcome.attempt(inner.start(), this::firstEnded);
    Duration time = time(hedge);
    if (time != null && !outcome.isDone()) {
      outcome.onEnd(engine.after(time, this::hedge)::cancel);
    }
    return outcome;
  }

  /** Returns the time to the second attempt; null if there is none. */
  private @Nullable Duration time(Hedge hedge) {
    Duration time = hedge.time;
    if (latencies != null) {
      long known = latencies.threshold();
      if (known == Clock.NEVER) {
        return null;
      }
      Duration usual = Duration.ofNanos(known);
      time = usual.compareTo(time) > 0 ? usual : time;
    }
    Duration left = call.timeLeft();
    return left == null || time.compareTo(left) < 0 ? time : null;
  }

  private void hedge() {
    if (outcome.isDone() || !engine.acquire(call)) {
      return;
    }
    synchronized (this) {
      if (hasFirstEnded) {
        return;
      }
      isHedged = true;
    }
    engine.report(Outcome.HEDGED, call);
    outcome.attempt(inner.start(), this::secondEnded);
  }

  private void firstEnded(@Nullable Object result, @Nullable Throwable cause) {
    boolean isOvertaken =
        cause instanceof CancellationException && !call.cancellation().isCancelled();
    if (latencies != null && (isAnswer(cause) || isOvertaken)) {
      latencies.add(engine.nanos() - start); // a lower bound if it was overtaken
    }
    boolean waits;
    synchronized (this) {
      hasFirstEnded = true;
      waits = isHedged && !isAnswer(cause) && failure == null;
      failure = waits ? cause : failure;
    }
    if (!waits) {
      outcome.end(result, cause);
    }
  }

  private void secondEnded(@Nullable Object result, @Nullable Throwable cause) {
    Throwable earlier;
    synchronized (this) {
      earlier = failure;
      if (!hasFirstEnded && !isAnswer(cause)) {
        failure = cause; // the first attempt decides
        return;
      }
    }
    if (isAnswer(cause)) {
      if (!outcome.isDone()) {
        engine.report(Outcome.HEDGE_WON, call);
      }
      outcome.end(result, cause);
    } else {
      outcome.end(result, earlier == null ? cause : earlier);
    }
  }

  /** Returns whether the server has answered, with a result or an error. */
  private static boolean isAnswer(@Nullable Throwable failure) {
    return failure == null || failure instanceof RpcException;
  }
}
