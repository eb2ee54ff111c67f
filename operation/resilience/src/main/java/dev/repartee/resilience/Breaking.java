package dev.repartee.resilience;

import dev.repartee.Call;
import dev.repartee.internal.PerName;
import dev.repartee.internal.Times;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes calls by a {@link Breaker}. */
final class Breaking {
  private Breaking() {}

  static Step step(Engine engine, Breaker breaker) {
    if (breaker.perMethod) {
      PerPeer<PerName<Circuit>> circuits = PerPeer.perMethod(() -> new Circuit(breaker));
      return (call, inner) ->
          () -> make(engine, circuits.of(call.peer()).of(call.method()), call, inner);
    }
    PerPeer<Circuit> circuits = new PerPeer<>(() -> new Circuit(breaker));
    return (call, inner) -> () -> make(engine, circuits.of(call.peer()), call, inner);
  }

  private static CompletableFuture<@Nullable Object> make(
      Engine engine, Circuit circuit, Call call, Attempt inner) {
    long now = engine.nanos();
    long era = circuit.acquire(now);
    if (era == Circuit.REJECTED) {
      engine.report(Outcome.REJECTED_BY_BREAKER, call);
      return CompletableFuture.failedFuture(rejected(call, circuit.rest(now)));
    }
    Ongoing<@Nullable Object> outcome = new Ongoing<>();
    outcome.attempt(inner.start(), (result, failure) -> {
      if (circuit.ended(era, call, failure, engine.nanos())) {
        engine.report(Outcome.BREAKER_OPENED, call);
      }
      outcome.end(result, failure);
    });
    return outcome;
  }

  private static RejectedException rejected(Call call, long rest) {
    return new RejectedException(
        Outcome.REJECTED_BY_BREAKER,
        "'" + call.method() + "' was not sent: too many calls to "
            + call.channel().other()
            + " have failed, and the circuit breaker is open for "
            + Times.text(Duration.ofMillis(Duration.ofNanos(rest).toMillis())),
        "the circuit breaker is open");
  }
}
