package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NoSdkTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  /** The methods of the server. */
  public static final class Methods {
    @Rpc
    public String trace() {
      return Span.current().getSpanContext().getTraceId();
    }
  }

  @AfterEach
  void reset() {
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void withoutAnSdkOptionsHaveNoLayersAndNoListener() {
    Options options = Options.DEFAULT;
    assertThat(Telemetry.of(OpenTelemetry.noop()).instrument(options)).isSameAs(options);
    GlobalOpenTelemetry.set(OpenTelemetry.noop());
    assertThat(Telemetry.of(GlobalOpenTelemetry.get()).instrument(options)).isSameAs(options);
  }

  @Test
  void anApiThatOnlyPropagatesPassesTheContextToTheHandler() throws Exception {
    OpenTelemetry api = OpenTelemetry.propagating(
        ContextPropagators.create(W3CTraceContextPropagator.getInstance()));
    Options options =
        Telemetry.builder(api).carriers(Carrier.MEMBERS).build().instrument(Options.DEFAULT);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Methods()), options);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(peer.request("trace")
              .member("traceparent", Json.of("00-" + TRACE + "-b7ad6b7169203331-01"))
              .call(String.class))
          .isEqualTo(TRACE);
    }
  }
}
