package dev.repartee.cli.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/** Exporters that report the outages of their collector. */
final class ReportingExporter {
  private ReportingExporter() {}

  /** Returns an exporter of spans that passes them to another one. */
  static SpanExporter of(SpanExporter next, Outage outage) {
    return new SpanExporter() {
      @Override
      public CompletableResultCode export(Collection<SpanData> spans) {
        return outage.watch(() -> next.export(spans));
      }

      @Override
      public CompletableResultCode flush() {
        return next.flush();
      }

      @Override
      public CompletableResultCode shutdown() {
        return next.shutdown();
      }

      @Override
      public String toString() {
        return next.toString();
      }
    };
  }

  /** Returns an exporter of metrics that passes them to another one. */
  static MetricExporter of(MetricExporter next, Outage outage) {
    return new MetricExporter() {
      @Override
      public CompletableResultCode export(Collection<MetricData> metrics) {
        return outage.watch(() -> next.export(metrics));
      }

      @Override
      public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return next.getAggregationTemporality(type);
      }

      @Override
      public Aggregation getDefaultAggregation(InstrumentType type) {
        return next.getDefaultAggregation(type);
      }

      @Override
      public MemoryMode getMemoryMode() {
        return next.getMemoryMode();
      }

      @Override
      public CompletableResultCode flush() {
        return next.flush();
      }

      @Override
      public CompletableResultCode shutdown() {
        return next.shutdown();
      }

      @Override
      public String toString() {
        return next.toString();
      }
    };
  }
}
