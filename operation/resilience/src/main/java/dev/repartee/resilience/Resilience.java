package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.PeerFlow;
import dev.repartee.Rpc;
import dev.repartee.internal.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A layer around outgoing calls with up to five policies, from the outermost to the innermost:
 * fallback, {@link Retry}, {@link Hedge}, {@link Breaker}, {@link Bulkhead}. Each attempt of a retry
 * or a hedge passes the breaker and the bulkhead. All policies are optional.
 *
 * <pre>{@code
 * Resilience resilience = Resilience.builder()
 *     .idempotent("price", "stock")
 *     .retry(Retry.DEFAULT)
 *     .breaker(Breaker.DEFAULT)
 *     .bulkhead(Bulkhead.of(20))
 *     .build();
 * Peer peer = Repartee.connect(uri, Service.NONE, resilience.instrument(Options.DEFAULT));
 * }</pre>
 *
 * <p>Budgets, breakers and bulkheads belong to the peer that makes the call: several peers may share
 * this layer, and each one has its own. For another order, or for other layers between two policies,
 * use several layers.
 *
 * <p>Nothing waits on a thread: pauses and waiting calls are timers. The {@linkplain
 * CallBuilder#timeout time-out} of a call includes all attempts, pauses and waits. A call of a
 * {@link dev.repartee.Batch} that waits or is repeated is sent outside the batch; it is never hedged.
 *
 * <p>Notifications pass unchanged, and so do calls of methods whose names begin with {@code rpc.},
 * such as pings: a fallback must not hide that a server does not answer. A call that opens a stream
 * is repeated only if it was not handled, and never hedged; the bulkhead counts it until the stream
 * ends. Thread-safe.
 */
public final class Resilience implements Layer {
  /** Answers a call that has failed. */
  @FunctionalInterface
  public interface Fallback {
    /**
     * Returns the result for the caller, or throws the failure of the call. Runs on a thread that
     * reads or watches time-outs, and must not block; it may return a {@link
     * java.util.concurrent.CompletionStage}. Not called for cancelled calls.
     *
     * @param failure the last failure, such as a {@link RejectedException}
     * @return a value of the type that the caller expects
     * @throws Exception the failure of the call
     */
    @Nullable Object answer(Call call, Throwable failure) throws Exception;
  }

  private static final double PERCENT = 20;
  private static final int BURST = 10;
  private static final double ALL = 100;
  private static final String INTERNAL = "rpc.";

  private final Engine engine;
  private final boolean hasBudget;

  /** The policies, from the innermost to the outermost. */
  private final List<Step> steps;

  private Resilience(Builder builder) {
    double percent = builder.percent;
    int burst = builder.burst;
    engine = new Engine(
        builder.clock,
        builder.idempotent,
        new PerPeer<>(() -> new Budget(percent, burst)),
        builder.listener);
    hasBudget = builder.retry != null || builder.hedge != null;
    List<Step> all = new ArrayList<>();
    if (builder.bulkhead != null) {
      all.add(Limiting.step(engine, builder.bulkhead));
    }
    if (builder.breaker != null) {
      all.add(Breaking.step(engine, builder.breaker));
    }
    if (builder.hedge != null) {
      all.add(Hedging.step(engine, builder.hedge));
    }
    if (builder.retry != null) {
      all.add(Retrying.step(engine, builder.retry));
    }
    if (builder.fallback != null) {
      all.add(fallback(engine, builder.fallback));
    }
    steps = List.copyOf(all);
  }

  /** Returns a builder without policies. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns options with this layer inside the present layers around outgoing calls. */
  public Options instrument(Options options) {
    return options.toBuilder().callLayer(this).build();
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    if (steps.isEmpty()
        || call.isNotification()
        || call.method().startsWith(INTERNAL)
        || PeerFlow.isPing(call)) {
      return next.handle(call);
    }
    if (hasBudget) {
      engine.budget(call).add();
    }
    Attempt attempt = Attempt.of(call, next);
    for (Step step : steps) {
      attempt = step.around(call, attempt);
    }
    CompletableFuture<@Nullable Object> outcome = attempt.start();
    call.cancellation().onCancel(() -> outcome.cancel(true));
    return outcome;
  }

  private static Step fallback(Engine engine, Fallback fallback) {
    return (call, inner) -> () -> {
      Ongoing<@Nullable Object> outcome = new Ongoing<>();
      outcome.attempt(inner.start(), (result, failure) -> {
        if (failure == null || failure instanceof CancellationException) {
          outcome.end(result, failure);
          return;
        }
        CompletableFuture<@Nullable Object> answer;
        try {
          answer = Attempt.future(fallback.answer(call, failure));
        } catch (Exception e) { // often the failure itself
          outcome.completeExceptionally(e);
          return;
        }
        engine.report(Outcome.FALLBACK, call);
        outcome.after(answer, outcome::end);
      });
      return outcome;
    };
  }

  /** Returns the number of events since this layer was made, of all peers. A snapshot. */
  public Map<Outcome, Long> counts() {
    return engine.counts();
  }

  /** A builder of {@link Resilience}. Not thread-safe. */
  public static final class Builder {
    private @Nullable Retry retry;
    private @Nullable Hedge hedge;
    private @Nullable Breaker breaker;
    private @Nullable Bulkhead bulkhead;
    private @Nullable Fallback fallback;
    private Predicate<String> idempotent = method -> false;
    private double percent = PERCENT;
    private int burst = BURST;
    private BiConsumer<? super Outcome, ? super Call> listener = (outcome, call) -> {};
    private Clock clock = Clock.SYSTEM;

    private Builder() {}

    /** Repeats calls that have failed; not by default. */
    public Builder retry(Retry retry) {
      this.retry = retry;
      return this;
    }

    /** Makes a second attempt for slow idempotent calls; not by default. */
    public Builder hedge(Hedge hedge) {
      this.hedge = hedge;
      return this;
    }

    /** Rejects calls to a peer whose calls have failed; not by default. */
    public Builder breaker(Breaker breaker) {
      this.breaker = breaker;
      return this;
    }

    /** Limits the calls of a peer that run at the same time; not by default. */
    public Builder bulkhead(Bulkhead bulkhead) {
      this.bulkhead = bulkhead;
      return this;
    }

    /** Answers calls that have failed; not by default. */
    public Builder fallback(Fallback fallback) {
      this.fallback = fallback;
      return this;
    }

    /**
     * Declares methods idempotent: handling a call twice has the same effect as once. Adds to
     * earlier declarations, and to the declarations of the call ({@link CallBuilder#idempotent}), of
     * the proxy ({@link Rpc#idempotent}) and of the peer ({@link Call#isIdempotent}).
     */
    public Builder idempotent(String... methods) {
      return idempotent(Set.of(methods)::contains);
    }

    /**
     * Declares the methods idempotent whose names a predicate accepts. It must not block, and must
     * be thread-safe.
     */
    public Builder idempotent(Predicate<String> methods) {
      idempotent = idempotent.or(methods);
      return this;
    }

    /**
     * Sets the budget of each peer for repetitions and second attempts together. It keeps the
     * clients of a failing server from multiplying its load. The defaults are 20 % and 10.
     *
     * @param percent the number of further attempts for 100 calls, from 0 to 100
     * @param burst the number of further attempts that a peer may make in addition, at its start or
     *     after calls without failures
     * @throws IllegalArgumentException if the percentage is out of range, or the burst is negative
     */
    public Builder budget(double percent, int burst) {
      if (!(percent >= 0 && percent <= ALL) || burst < 0) {
        throw new IllegalArgumentException("the budget is from 0 to 100 percent with a burst from 0"
            + " on, not " + percent + " and " + burst);
      }
      this.percent = percent;
      this.burst = burst;
      return this;
    }

    /**
     * Sets an action that is notified of each event, for metrics and logs. It runs on the threads
     * that make or end calls, must not block, and must be thread-safe. Its exceptions are ignored.
     */
    public Builder listener(BiConsumer<? super Outcome, ? super Call> listener) {
      this.listener = Objects.requireNonNull(listener);
      return this;
    }

    /** Sets the clock of pauses and waits, for tests. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** Returns a layer with these policies, and with counts of zero. */
    public Resilience build() {
      return new Resilience(this);
    }
  }
}
