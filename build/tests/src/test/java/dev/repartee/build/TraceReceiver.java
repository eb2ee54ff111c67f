package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receives spans by OTLP over HTTP. If the environment variable {@code REPARTEE_OTELCOL} names the
 * program of an OpenTelemetry collector with the receiver {@code otlp} and the exporter {@code
 * otlphttp}, the spans pass through it.
 */
final class TraceReceiver implements AutoCloseable {
  private record Received(String service, Span span) {}

  private final Queue<Received> spans = new ConcurrentLinkedQueue<>();
  private final Map<String, OpenTelemetrySdk> services = new LinkedHashMap<>();
  private final HttpServer server;
  private final String target;
  private @Nullable Process collector;

  private TraceReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::receive);
    server.start();
    String own = "http://127.0.0.1:" + server.getAddress().getPort();
    String program = System.getenv("REPARTEE_OTELCOL");
    target = program == null ? own : collector(program, own);
  }

  static TraceReceiver start() {
    try {
      return new TraceReceiver();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a collector in front of this receiver; returns its URL. */
  private String collector(String program, String own) throws IOException {
    String address;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = "127.0.0.1:" + free.getLocalPort();
    }
    Path config = Files.createTempFile("otelcol", ".yaml");
    Files.writeString(config, """
        receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}}
        exporters: {otlphttp: {endpoint: "%s", compression: none}}
        service:
          telemetry: {metrics: {level: none}}
          pipelines: {traces: {receivers: [otlp], exporters: [otlphttp]}}
        """.formatted(address, own));
    Process started = new ProcessBuilder(program, "--config", config.toString())
        .redirectErrorStream(true)
        .start();
    collector = started;
    BufferedReader log = started.inputReader(UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = log.readLine(); ; line = log.readLine()) {
      assertThat(line).as("the log of the collector: " + lines).isNotNull();
      lines.add(line);
      if (line.contains("Everything is ready")) {
        break;
      }
    }
    Files.delete(config);
    return "http://" + address;
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      ExportTraceServiceRequest request =
          ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
      for (ResourceSpans resource : request.getResourceSpansList()) {
        String service = resource.getResource().getAttributesList().stream()
            .filter(attribute -> attribute.getKey().equals("service.name"))
            .map(attribute -> attribute.getValue().getStringValue())
            .findAny()
            .orElse("");
        for (ScopeSpans scope : resource.getScopeSpansList()) {
          scope.getSpansList().forEach(span -> spans.add(new Received(service, span)));
        }
      }
      byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  /** Returns the SDK of a service, which exports to this receiver. */
  OpenTelemetry sdk(String service) {
    return services.computeIfAbsent(
        service,
        name -> OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                .setResource(Resource.create(io.opentelemetry.api.common.Attributes.of(
                    AttributeKey.stringKey("service.name"), name)))
                .addSpanProcessor(BatchSpanProcessor.builder(OtlpHttpSpanExporter.builder()
                        .setEndpoint(target + "/v1/traces")
                        .setTimeout(Duration.ofSeconds(30))
                        .build())
                    .build())
                .build())
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build());
  }

  /**
   * Waits for the spans of the trace that begins with the only span of a service, and returns them as
   * an indented text. A line has the service, the kind, the name, and the method if the name lacks
   * it.
   */
  String tree(String first, int count) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    List<Received> trace = List.of();
    while (trace.size() < count && System.nanoTime() < end) {
      services
          .values()
          .forEach(sdk -> sdk.getSdkTracerProvider().forceFlush().join(30, TimeUnit.SECONDS));
      trace = trace(first);
    }
    assertThat(trace).as("the spans of a trace: " + spans).hasSize(count);
    StringBuilder tree = new StringBuilder();
    add(ByteString.EMPTY, "", trace, tree);
    return tree.toString();
  }

  private List<Received> trace(String first) {
    List<Received> roots =
        spans.stream().filter(each -> each.service.equals(first)).toList();
    return spans.stream()
        .filter(each ->
            roots.stream().anyMatch(root -> root.span.getTraceId().equals(each.span.getTraceId())))
        .toList();
  }

  private static void add(
      ByteString parent, String indent, List<Received> trace, StringBuilder to) {
    trace.stream()
        .filter(each -> each.span.getParentSpanId().equals(parent))
        .sorted(Comparator.comparingLong(each -> each.span.getStartTimeUnixNano()))
        .forEach(each -> {
          to.append(indent)
              .append(each.service)
              .append(": ")
              .append(line(each.span))
              .append('\n');
          add(each.span.getSpanId(), indent + "  ", trace, to);
        });
  }

  private static String line(Span span) {
    String kind = span.getKind().name().replace("SPAN_KIND_", "");
    String original = span.getAttributesList().stream()
        .filter(attribute -> attribute.getKey().equals("rpc.method_original"))
        .map(KeyValue::getValue)
        .map(value -> " (rpc.method_original=" + value.getStringValue() + ")")
        .findAny()
        .orElse("");
    return kind + " " + span.getName() + original;
  }

  @Override
  public void close() {
    services.values().forEach(OpenTelemetrySdk::close);
    Process running = collector;
    if (running != null) {
      running.destroy();
    }
    server.stop(0);
  }
}
