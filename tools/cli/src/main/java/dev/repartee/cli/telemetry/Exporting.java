package dev.repartee.cli.telemetry;

import dev.repartee.Repartee;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.telemetry.Carrier;
import dev.repartee.telemetry.Conventions;
import dev.repartee.telemetry.Telemetry;
import dev.repartee.transport.Endpoint;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The SDK of OpenTelemetry with the exporters that the command line or the environment names. */
final class Exporting implements AutoCloseable {
  /** The time for the last export, in seconds; the servers have used most of the time to end. */
  private static final int PATIENCE = 2;

  private static final AttributeKey<String> NAME = AttributeKey.stringKey("service.name");
  private static final AttributeKey<String> VERSION = AttributeKey.stringKey("service.version");

  /**
   * The loggers of the exporters and their threads, which log each failure: an {@link Outage}
   * reports it. The field prevents the collection of the loggers, which would reset their level.
   */
  private static final List<Logger> LOGGERS = Stream.of(
          "exporter", "sdk.trace.export", "sdk.metrics.export")
      .map(name -> Logger.getLogger("io.opentelemetry." + name))
      .toList();

  private final OpenTelemetrySdk sdk;
  private final Telemetry rpc;
  private final Telemetry mcp;
  private final @Nullable MetricsEndpoint metrics;

  private Exporting(OpenTelemetrySdk sdk, @Nullable MetricsEndpoint metrics, boolean members) {
    Carrier[] carriers = members
        ? new Carrier[] {Carrier.HEADERS, Carrier.MEMBERS}
        : new Carrier[] {Carrier.HEADERS};
    this.sdk = sdk;
    this.rpc = Telemetry.builder(sdk).carriers(carriers).build();
    this.mcp = Telemetry.builder(sdk).conventions(Conventions.MCP).build();
    this.metrics = metrics;
  }

  /**
   * Starts the exporters.
   *
   * @param uri the endpoint of the metrics; null for none
   * @param collector the collector of traces and metrics; null for none
   * @param members whether the context of a trace travels in members of messages, too
   * @throws Failure if the SDK does not accept a variable, or the endpoint cannot be bound
   */
  static Exporting start(
      @Nullable String uri, @Nullable Collector collector, boolean members, Stdio stdio) {
    LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    AutoConfiguredOpenTelemetrySdkBuilder builder = AutoConfiguredOpenTelemetrySdk.builder()
        .disableShutdownHook()
        .addPropertiesSupplier(Collector::defaults)
        .addPropertiesCustomizer(config -> properties(collector))
        .addResourceCustomizer((resource, config) -> named(resource))
        .addSpanExporterCustomizer((next, config) -> ReportingExporter.of(
            next, new Outage("spans to " + target("traces", config), stdio::say)))
        .addMetricExporterCustomizer((next, config) -> ReportingExporter.of(
            next, new Outage("metrics to " + target("metrics", config), stdio::say)));
    MetricsEndpoint endpoint = null;
    if (uri != null) {
      PrometheusMetricReader reader =
          PrometheusMetricReader.builder().setOtelScopeLabelsEnabled(false).build();
      endpoint = MetricsEndpoint.listen(uri, reader);
      builder.addMeterProviderCustomizer((meters, config) -> meters.registerMetricReader(reader));
    }
    try {
      return new Exporting(builder.build().getOpenTelemetrySdk(), endpoint, members);
    } catch (RuntimeException e) { // of the kinds that the documentation does not name
      if (endpoint != null) {
        endpoint.close();
      }
      throw Failure.usage("OpenTelemetry does not accept the options or the variables OTEL_...: "
          + Failure.reason(e));
    }
  }

  /** Returns the properties that have precedence over the environment. */
  private static Map<String, String> properties(@Nullable Collector collector) {
    Map<String, String> properties = new HashMap<>(
        collector == null
            ? Map.of(
                "otel.traces.exporter", "none",
                "otel.metrics.exporter", "none",
                "otel.traces.sampler", "always_off",
                // A context that this process does not record is not changed by it either.
                "otel.propagators", "none")
            : collector.properties());
    properties.put("otel.logs.exporter", "none");
    properties.put("otel.sdk.disabled", "false");
    return properties;
  }

  /** Returns the resource with the name of the command, unless the user has set one. */
  private static Resource named(Resource resource) {
    String name = resource.getAttribute(NAME);
    return name != null && !name.startsWith("unknown_service")
        ? resource
        : resource.merge(
            Resource.create(Attributes.of(NAME, "repartee", VERSION, Repartee.version())));
  }

  /** Returns the URL to which a signal is exported, for messages. */
  private static String target(String signal, ConfigProperties config) {
    String own = config.getString("otel.exporter.otlp." + signal + ".endpoint");
    String base = config.getString("otel.exporter.otlp.endpoint", "http://localhost:4318");
    return Endpoint.shown(own == null ? base : own);
  }

  /** Returns the telemetry with the conventions of MCP, or of RPC. */
  Telemetry telemetry(boolean isMcp) {
    return isMcp ? mcp : rpc;
  }

  /** Returns the lines that report the endpoints to the user. */
  List<String> lines() {
    return metrics == null ? List.of() : List.of("metrics at " + metrics.uri());
  }

  /** Ends the endpoint of the metrics, and exports the spans and metrics that wait. */
  @Override
  public void close() {
    if (metrics != null) {
      metrics.close();
    }
    sdk.shutdown().join(PATIENCE, TimeUnit.SECONDS);
  }
}
