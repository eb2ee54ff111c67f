package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.telemetry.Telemetry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of docs/telemetry.md and operation/telemetry/README.md. */
@Timeout(60)
class TelemetryTourTest {
  private final Service service = Service.builder().method("add", call -> 3).build();

  @Test
  void theTourRuns(@TempDir Path folder) throws Exception {
    OpenTelemetry api = OpenTelemetry.propagating(
        ContextPropagators.create(W3CTraceContextPropagator.getInstance()));
    assertThat(TelemetryTour.observed(api, Options.DEFAULT).layers()).hasSize(1);
    assertThat(TelemetryTour.trace(api, service)).isEqualTo(3);
    assertThat(TelemetryTour.inParams(api).layer()).isNotNull();
    assertThat(TelemetryTour.mcp(api).callLayer()).isNotNull();
    Server closed = Repartee.listen("tcp://127.0.0.1:0", service);
    closed.close();
    TelemetryTour.observe(Telemetry.of(api), closed);
    assertThat(TelemetryTour.measure(new SimpleMeterRegistry(), service))
        .isEqualTo("1 connections, 0 calls, refused {}");
    assertThat(TelemetryTour.log(folder.resolve("access.log"), service)).isZero();
  }
}
