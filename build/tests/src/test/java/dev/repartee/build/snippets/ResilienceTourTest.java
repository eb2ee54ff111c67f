package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.resilience.Resilience;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of docs/resilience.md and operation/resilience/README.md. */
@Timeout(60)
class ResilienceTourTest {
  private final Service service = Service.builder().method("price", call -> 3).build();

  @Test
  void theTourRuns() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
        Server other = Repartee.listen("tcp://127.0.0.1:0", service);
        Peer one = ResilienceTour.connect(server.endpoint().toString());
        Peer two = ResilienceTour.hedged(
            List.of(server.endpoint().toString(), other.endpoint().toString()))) {
      assertThat(one.call("price", int.class)).isEqualTo(3);
      assertThat(two.call("price", int.class)).isEqualTo(3);
    }
    assertThat(ResilienceTour.retry()).isNotNull();
    assertThat(ResilienceTour.breaker()).isNotNull();
    Resilience resilience = ResilienceTour.fallback(Map.of());
    assertThat(resilience.instrument(Options.DEFAULT).callLayers()).hasSize(1);
    assertThat(ResilienceTour.retries(ResilienceTour.measured(new SimpleMeterRegistry())))
        .isZero();
  }
}
