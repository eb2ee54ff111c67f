package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.balance.Balanced;
import dev.repartee.message.RpcError;
import dev.repartee.reconnect.Backoff;
import dev.repartee.resilience.Breaker;
import dev.repartee.resilience.Bulkhead;
import dev.repartee.resilience.Hedge;
import dev.repartee.resilience.Outcome;
import dev.repartee.resilience.RejectedException;
import dev.repartee.resilience.Resilience;
import dev.repartee.resilience.Retry;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The code of docs/resilience.md and operation/resilience/README.md. */
final class ResilienceTour {
  private ResilienceTour() {}

  static Peer connect(String uri) throws IOException {
    Resilience resilience = Resilience.builder()
        .idempotent("price", "stock")
        .retry(Retry.DEFAULT)
        .breaker(Breaker.DEFAULT)
        .bulkhead(Bulkhead.of(20).waiting(100, Duration.ofSeconds(1)))
        .build();
    return Repartee.connect(uri, Service.NONE, resilience.instrument(Options.DEFAULT));
  }

  static Retry retry() {
    Retry retry = Retry.DEFAULT
        .attempts(4)
        .backoff(Backoff.DEFAULT.initial(Duration.ofMillis(20)).max(Duration.ofSeconds(1)))
        .longestPause(Duration.ofSeconds(10))
        .safe(RpcError.BUSY);
    return retry;
  }

  static Peer hedged(List<String> uris) throws IOException {
    Resilience resilience = Resilience.builder()
        .hedge(Hedge.atPercentile(95, Duration.ofMillis(10)).methods("price"))
        .budget(10, 5)
        .build();
    return Balanced.to(uris)
        .idempotent("price")
        .options(resilience.instrument(Options.DEFAULT))
        .connect();
  }

  static Breaker breaker() {
    Breaker breaker = Breaker.DEFAULT
        .failureRate(25)
        .minimumCalls(50)
        .window(Duration.ofSeconds(30))
        .openFor(Duration.ofSeconds(10))
        .perMethod();
    return breaker;
  }

  static Resilience fallback(Map<String, Object> defaults) {
    return Resilience.builder()
        .breaker(Breaker.DEFAULT)
        .fallback((call, failure) -> {
          if (failure instanceof RejectedException && defaults.containsKey(call.method())) {
            return defaults.get(call.method());
          }
          throw (Exception) failure;
        })
        .build();
  }

  static Resilience measured(MeterRegistry registry) {
    return Resilience.builder()
        .retry(Retry.DEFAULT)
        .listener((outcome, call) -> registry
            .counter("repartee.client.resilience", "outcome", outcome.toString())
            .increment())
        .build();
  }

  static long retries(Resilience resilience) {
    return resilience.counts().get(Outcome.RETRIED);
  }
}
