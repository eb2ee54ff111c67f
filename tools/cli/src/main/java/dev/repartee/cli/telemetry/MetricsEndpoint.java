package dev.repartee.cli.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.internal.Threads;
import dev.repartee.limits.Limits;
import dev.repartee.limits.NetworkRange;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP endpoint of the metrics, in the formats of Prometheus and OpenMetrics. It has its own
 * server: the authentication and the limits of the served methods do not apply to it.
 */
final class MetricsEndpoint implements HttpService, AutoCloseable {
  private static final String EXAMPLE = "; example: --metrics http://127.0.0.1:9464/metrics";
  private static final String PATH = "/metrics";

  /** The maximum number of connections. A Prometheus server needs one. */
  private static final int CONNECTIONS = 32;

  /**
   * The maximum idle time of a connection. Idle connections must not occupy all places; a Prometheus
   * server opens another connection if necessary.
   */
  private static final Duration IDLE = Duration.ofSeconds(5);

  /** The maximum number of requests that wait for the thread that collects. */
  private static final int WAITING = 8;

  private static final Map<String, String> TEXT = Map.of("content-type", "text/plain");

  private final MultiCollector metrics;
  private final String path;
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Executor collector =
      Threads.bounded(1, WAITING, Threads.numbered("repartee-metrics"));
  private @Nullable Server server;

  private MetricsEndpoint(MultiCollector metrics, String path) {
    this.metrics = metrics;
    this.path = path;
  }

  /**
   * Serves metrics.
   *
   * @param uri the value of {@code --metrics}; without a path it gets {@value #PATH}
   * @throws Failure if the URI is invalid or without protection, or cannot be bound
   */
  static MetricsEndpoint listen(String uri, MultiCollector metrics) {
    try {
      Endpoint given = Endpoint.parse(uri);
      URI address = address(given);
      requireProtection(given, address.getHost());
      String named = address.getRawPath();
      String path = named == null || named.length() < 2 ? PATH : named;
      MetricsEndpoint endpoint = new MetricsEndpoint(metrics, path);
      Limits limits = Limits.builder()
          .connections(CONNECTIONS)
          .firstByteTimeout(IDLE)
          .idleTimeout(IDLE)
          .drainTimeout(IDLE)
          .build();
      endpoint.server = Repartee.listen(
          given.at("//" + address.getRawAuthority()).toString(),
          HttpRoutes.builder().at(path, endpoint).build(),
          Options.builder().limits(limits).build());
      return endpoint;
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--metrics: " + Failure.reason(e) + EXAMPLE);
    } catch (IOException e) {
      throw Failure.endpoint("cannot serve metrics at " + Endpoint.shown(uri), e);
    }
  }

  private static URI address(Endpoint endpoint) {
    String scheme = endpoint.scheme();
    URI uri = URI.create(scheme + ":" + endpoint.address());
    if (!scheme.equals("http") && !scheme.equals("https")
        || uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null) {
      throw new IllegalArgumentException(
          "'" + endpoint.shown() + "' is not http: or https: with a host and a path");
    }
    return uri;
  }

  /** Refuses an endpoint that other machines can reach, unless the user has asked for it. */
  private static void requireProtection(Endpoint endpoint, String host) {
    boolean isLocal =
        NetworkRange.isLoopback(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    boolean checksClients =
        endpoint.scheme().equals("https") && endpoint.options().containsKey("ca");
    if (!isLocal && !checksClients && !endpoint.options().containsKey("hosts")) {
      throw new IllegalArgumentException("other machines could read the metrics at "
          + endpoint.shown() + " without credentials; listen at 127.0.0.1, or allow it: #hosts=NAME"
          + " is the name by which they address it, https: with #cert=FILE&key=FILE&ca=FILE asks"
          + " for client certificates");
    }
  }

  /** Returns the URI of the metrics, with the port that was bound. */
  String uri() {
    String base = bound().endpoint().bare().toString();
    return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path;
  }

  private Server bound() {
    Server listening = server;
    if (listening == null) {
      throw new IllegalStateException("the endpoint is not bound");
    }
    return listening;
  }

  @Override
  public void serve(HttpRequest request, HttpReply reply) {
    boolean head = request.method().equals("HEAD");
    if (!head && !request.method().equals("GET")) {
      reply.answer(405, Map.of("allow", "GET, HEAD"), new byte[0]);
      return;
    }
    try {
      collector.execute(() -> answer(request.header("accept"), head, reply));
    } catch (RejectedExecutionException e) {
      reply.answer(503, TEXT, "Too many requests wait for the metrics.\n".getBytes(UTF_8));
    }
  }

  private void answer(@Nullable String accept, boolean head, HttpReply reply) {
    try {
      ExpositionFormatWriter format = formats.findWriter(accept);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      format.write(text, described(metrics.collect()), EscapingScheme.UNDERSCORE_ESCAPING);
      reply.answer(
          200,
          Map.of("content-type", format.getContentType()),
          head ? new byte[0] : text.toByteArray());
    } catch (IOException | RuntimeException e) {
      reply.answer(500, TEXT, "The metrics cannot be collected.\n".getBytes(UTF_8));
    }
  }

  /** Returns metrics with a description of {@code target_info}, which has none. */
  private static MetricSnapshots described(MetricSnapshots metrics) {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    for (MetricSnapshot each : metrics) {
      if (each instanceof InfoSnapshot info && info.getMetadata().getHelp() == null) {
        InfoSnapshot.Builder described = InfoSnapshot.builder()
            .name(info.getMetadata().getName())
            .help("The process that has these metrics");
        info.getDataPoints().forEach(described::dataPoint);
        all.metricSnapshot(described.build());
      } else {
        all.metricSnapshot(each);
      }
    }
    return all.build();
  }

  /** Ends the endpoint; a client that does not read its response must not delay the last export. */
  @Override
  public void close() {
    bound().close(Duration.ZERO);
  }
}
