package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** The parts that all steps of a {@link Resilience} use. Thread-safe. */
final class Engine {
  private final Clock clock;
  private final Predicate<String> idempotent;
  private final PerPeer<Budget> budgets;
  private final BiConsumer<? super Outcome, ? super Call> listener;
  private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

  Engine(
      Clock clock,
      Predicate<String> idempotent,
      PerPeer<Budget> budgets,
      BiConsumer<? super Outcome, ? super Call> listener) {
    this.clock = clock;
    this.idempotent = idempotent;
    this.budgets = budgets;
    this.listener = listener;
    Arrays.stream(Outcome.values()).forEach(each -> counts.put(each, new LongAdder()));
  }

  long nanos() {
    return clock.nanos();
  }

  /**
   * Runs a step after a time, on a thread that may wait for room in a write queue. No thread is
   * occupied until then.
   */
  Clock.Timer after(Duration time, Runnable step) {
    return clock.schedule(time, Threads.CALLS, step);
  }

  /** Returns whether handling the call twice has the same effect as once. */
  boolean isIdempotent(Call call) {
    return !call.opensStream() && (call.isIdempotent() || idempotent.test(call.method()));
  }

  Budget budget(Call call) {
    return budgets.of(call.peer());
  }

  /** Acquires a further attempt for a call from the budget of its peer; counts a refusal. */
  boolean acquire(Call call) {
    if (budget(call).acquire()) {
      return true;
    }
    report(Outcome.OVER_BUDGET, call);
    return false;
  }

  /** Counts an event, and reports it to the listener. */
  void report(Outcome outcome, Call call) {
    Objects.requireNonNull(counts.get(outcome)).increment();
    UserCode.run(() -> listener.accept(outcome, call));
  }

  Map<Outcome, Long> counts() {
    Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
    counts.forEach((outcome, count) -> sums.put(outcome, count.sum()));
    return sums;
  }
}
