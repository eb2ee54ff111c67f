package dev.repartee.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.telemetry.Telemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RetryTraceTest {
  private final FakeClock clock = new FakeClock();
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();

  @AutoClose
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(spans))
          .build())
      .build();

  @Test
  void eachAttemptIsAChildOfTheSpanThatHasMadeTheCall() throws Exception {
    Resilience resilience =
        Resilience.builder().retry(Retry.DEFAULT).clock(clock).build();
    Options options = Telemetry.of(sdk)
        .instrument(resilience.instrument(ClockOptions.builder(clock).build()));
    try (ScriptedHttp server =
            new ScriptedHttp(ScriptedHttp.status(429, ""), ScriptedHttp.answer("\"result\":7"));
        Peer peer = Repartee.connect(server.uri(), Service.NONE, options)) {
      Span outer = sdk.getTracer("test").spanBuilder("outer").startSpan();
      CallFuture<Integer> call;
      try (Scope scope = outer.makeCurrent()) {
        assertThat(scope).isNotNull();
        call = peer.callAsync("order", Integer.class);
      }
      clock.awaitTimer();
      clock.advanceToTimer();
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(7);
      assertThat(spans.getFinishedSpanItems())
          .hasSize(2)
          .extracting(SpanData::getParentSpanId)
          .containsOnly(outer.getSpanContext().getSpanId());
    }
  }
}
