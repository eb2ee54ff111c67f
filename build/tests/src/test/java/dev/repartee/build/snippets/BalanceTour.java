package dev.repartee.build.snippets;

import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.balance.BalanceListener;
import dev.repartee.balance.Balanced;
import dev.repartee.balance.Policy;
import dev.repartee.reconnect.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The code of docs/balance.md. */
final class BalanceTour {
  private BalanceTour() {}

  static Peer connect(String one, String two) throws IOException {
    return Balanced.to(List.of(one, two)).idempotent("price", "stock").connect();
  }

  static Peer sticky(List<String> uris) throws IOException {
    return Balanced.to(uris)
        .policy(Policy.sticky((method, params) -> params == null || params.get("user") == null
            ? null
            : params.get("user").as(String.class)))
        .connect();
  }

  static Peer checked(List<String> uris, Set<String> available) throws IOException {
    return Balanced.to(uris)
        .policy(Policy.LEAST_PENDING)
        .health(Duration.ofSeconds(10))
        .ejectAfter(2)
        .backoff(Backoff.DEFAULT.max(Duration.ofSeconds(5)))
        .waitingCalls(0)
        .listener(new Availability(available))
        .connect();
  }

  record Availability(Set<String> endpoints) implements BalanceListener {
    @Override
    public void available(String endpoint) {
      endpoints.add(endpoint);
    }

    @Override
    public void unavailable(String endpoint, Throwable cause) {
      endpoints.remove(endpoint);
    }
  }

  static Peer subscriber(List<String> uris, Service news) {
    return Balanced.to(uris)
        .service(news)
        .onConnectedAsync(connection -> connection.callAsync("subscribe", Boolean.class, "news"))
        .connectInBackground();
  }
}
