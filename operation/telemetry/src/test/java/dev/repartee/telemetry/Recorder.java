package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An SDK that keeps spans and metrics in memory. */
final class Recorder implements AutoCloseable {
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(spans))
          .build())
      .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
      .setPropagators(ContextPropagators.create(TextMapPropagator.composite(
          W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
      .build();

  OpenTelemetry api() {
    return sdk;
  }

  /** Waits for that many spans: the span of a served call ends after its answer. */
  List<SpanData> spans(int count) {
    return named("", count);
  }

  /** Waits for that many spans whose names begin so. */
  List<SpanData> named(String start, int count) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    List<SpanData> found = List.of();
    while (found.size() < count && System.nanoTime() < end) {
      found = spans.getFinishedSpanItems().stream()
          .filter(span -> span.getName().startsWith(start))
          .toList();
    }
    assertThat(found).hasSize(count);
    return found;
  }

  /** Waits for a number of spans; returns the only one of a kind. */
  SpanData span(int count, SpanKind kind) {
    List<SpanData> found =
        spans(count).stream().filter(span -> span.getKind() == kind).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  static @Nullable String text(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  private MetricData metric(String name) {
    Collection<MetricData> all = metrics.collectAllMetrics();
    return all.stream()
        .filter(metric -> metric.getName().equals(name))
        .findAny()
        .orElseThrow(() -> new AssertionError(
            name + " is not in " + all.stream().map(MetricData::getName).toList()));
  }

  private boolean has(String name) {
    return metrics.collectAllMetrics().stream()
        .anyMatch(metric -> metric.getName().equals(name));
  }

  /** Waits for a metric of durations: the duration of a call is recorded after its span has ended. */
  Collection<HistogramPointData> durations(String name) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!has(name) && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return metric(name).getHistogramData().getPoints();
  }

  Collection<LongPointData> numbers(String name) {
    return metric(name).getLongSumData().getPoints();
  }

  @Override
  public void close() {
    sdk.close();
  }
}
