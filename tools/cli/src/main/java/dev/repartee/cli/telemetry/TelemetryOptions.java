package dev.repartee.cli.telemetry;

import static dev.repartee.Deadlines.Field.HEADER;
import static dev.repartee.Deadlines.Field.MEMBER;

import dev.repartee.Deadlines;
import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.telemetry.AccessLog;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The telemetry of a serving command. Without these options, and without the variables of
 * OpenTelemetry in the environment, no class of the libraries for it is loaded.
 */
public final class TelemetryOptions implements AutoCloseable {
  @Option(names = "--metrics", paramLabel = "URI", description = """
          Serve the metrics for Prometheus at this endpoint, such as \
          http://127.0.0.1:9464/metrics. Port 0 selects a free port. The endpoint is reported on \
          standard error: metrics at URI.
          It asks for no credentials. An address that other machines can reach needs \
          #hosts=NAME, the name by which they address it, or https: with \
          #cert=FILE&key=FILE&ca=FILE, which asks for client certificates.""")
  @Nullable String metrics;

  @Option(names = "--otlp", paramLabel = "URL", description = """
          Export traces and metrics to the OpenTelemetry collector at this URL, such as \
          http://127.0.0.1:4318, with OTLP over HTTP. A collector that fails delays no call; \
          spans that it does not accept are lost.
          The variables OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER=otlp or \
          OTEL_METRICS_EXPORTER=otlp do the same without this option. OTEL_SERVICE_NAME, \
          OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and the other variables of the SDK \
          apply to both.""")
  @Nullable String otlp;

  @Option(names = "--access-log", paramLabel = "FILE", description = """
          Append a line for each call: time, address, principal, method, id, error, seconds. At \
          10 MiB the file is renamed to FILE.1. - is standard error. After the name: ,json for \
          lines of JSON, ,sample=0.01 for one of 100 successful calls; each failed one has its \
          line.""")
  @Nullable String accessLog;

  @Option(names = "--members", description = """
          Read facts of calls from members of the messages, too: the remaining time \
          (repartee-timeout-ms) and, with --otlp, the context of a trace (traceparent, \
          tracestate, baggage). Send them in this form to backends. For transports without header \
          fields: TCP, Unix sockets, WebSocket, standard streams, processes. A backend that is no \
          Repartee server may refuse messages with such members.""")
  boolean members;

  private @Nullable Exporting exporting;
  private @Nullable AccessLog log;
  private boolean isClosed; // guarded by this

  /**
   * Starts the endpoint of metrics, the exporters and the access log.
   *
   * @throws dev.repartee.cli.terminal.Failure if an option or a variable is invalid, or the
   *     endpoint or the file cannot be opened
   */
  public void start(Stdio stdio) {
    Collector collector = Collector.of(otlp, System::getenv);
    if (metrics != null || collector != null) {
      exporting = Exporting.start(metrics, collector, members, stdio);
    }
    if (accessLog != null) {
      log = AccessLogSpec.open(accessLog, stdio);
    }
  }

  /** Returns the lines that report the endpoints to the user. */
  public List<String> lines() {
    Exporting started = exporting;
    return started == null ? List.of() : started.lines();
  }

  /**
   * Returns the options of a server or of a connection with the telemetry of its calls. To be
   * called before other layers are added: these layers may refuse calls, and the telemetry shows
   * refused calls, too.
   *
   * @param mcp whether the calls are operations of MCP
   */
  public Options addTo(Options options, boolean mcp) {
    Options timed = members ? with(options, rules -> rules.accept(HEADER, MEMBER)) : options;
    Exporting started = exporting;
    Options observed = started == null ? timed : started.telemetry(mcp).instrument(timed);
    AccessLog opened = log;
    return opened == null ? observed : opened.instrument(observed);
  }

  /** Returns the options of a connection to a backend, with the telemetry of the calls to it. */
  public Options backend(Options options) {
    Options timed = members ? with(options, rules -> rules.send(MEMBER)) : options;
    Exporting started = exporting;
    return started == null ? timed : started.telemetry(false).instrument(timed);
  }

  private static Options with(Options options, UnaryOperator<Deadlines> rules) {
    return options.toBuilder().deadlines(rules).build();
  }

  /** Adds the figures of a server to the metrics. */
  public void observe(Server server) {
    Exporting started = exporting;
    if (started != null) {
      started.telemetry(false).observe(server);
    }
  }

  /**
   * Exports the spans and metrics that wait, for a limited time. Later calls do nothing. A call at
   * the same time waits for the first call, since the JVM may end after each of them.
   */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    Exporting started = exporting;
    if (started != null) {
      started.close();
    }
    AccessLog opened = log;
    if (opened != null) {
      opened.close();
    }
  }
}
