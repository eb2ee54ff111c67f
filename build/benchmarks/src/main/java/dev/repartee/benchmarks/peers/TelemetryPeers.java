package dev.repartee.benchmarks.peers;

import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.telemetry.Telemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.util.Collection;

/** Servers of Repartee with telemetry. */
final class TelemetryPeers {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("rpc.system.name");
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("rpc.method");

  private TelemetryPeers() {}

  static Address serve(String uri, OpenTelemetry api) throws IOException {
    Telemetry telemetry = Telemetry.of(api);
    Server server =
        Repartee.listen(uri, ReparteeMethods.inline(), telemetry.instrument(Options.DEFAULT));
    telemetry.observe(server);
    return Address.at(server.endpoint());
  }

  /**
   * Serves with a layer that makes a span and a duration with the fewest calls of the SDK. Shows the
   * cost of the SDK without the layers of the module {@code telemetry}.
   */
  static Address serveByHand(OpenTelemetry api) throws IOException {
    Tracer tracer = api.getTracer("by-hand");
    DoubleHistogram durations =
        api.getMeter("by-hand").histogramBuilder("durations").build();
    Attributes attributes = Attributes.of(SYSTEM, "jsonrpc", METHOD, "subtract");
    Layer layer = (call, next) -> {
      long start = System.nanoTime();
      Span span = tracer
          .spanBuilder(call.method())
          .setSpanKind(SpanKind.SERVER)
          .setAttribute(SYSTEM, "jsonrpc")
          .setAttribute(METHOD, call.method())
          .setAttribute("jsonrpc.protocol.version", "2.0")
          .setAttribute("jsonrpc.request.id", String.valueOf(call.id()))
          .setAttribute("network.peer.address", "127.0.0.1")
          .setAttribute("network.peer.port", 1)
          .startSpan();
      Scope scope = span.makeCurrent();
      try {
        return next.handle(call);
      } finally {
        scope.close();
        span.end();
        durations.record((System.nanoTime() - start) / 1e9, attributes);
      }
    };
    Server server = Repartee.listen(
        "tcp://127.0.0.1:0",
        ReparteeMethods.inline(),
        Options.builder().layer(layer).build());
    return Address.at(server.endpoint());
  }

  /** Returns the SDK with its defaults, and exporters that drop everything. */
  static OpenTelemetry sdk() {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder()
            .addSpanProcessor(BatchSpanProcessor.builder(new NoSpans()).build())
            .build())
        .setMeterProvider(SdkMeterProvider.builder()
            .registerMetricReader(PeriodicMetricReader.builder(new NoMetrics()).build())
            .build())
        .build();
  }

  private static final class NoSpans implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private static final class NoMetrics implements MetricExporter {
    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
