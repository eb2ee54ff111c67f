package dev.repartee.telemetry;

import static io.opentelemetry.api.trace.SpanKind.CLIENT;
import static io.opentelemetry.api.trace.SpanKind.SERVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.reconnect.Reconnecting;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class McpTelemetryTest {
  private final Recorder recorder = new Recorder();
  private final Telemetry telemetry =
      Telemetry.builder(recorder.api()).conventions(Conventions.MCP).build();
  private final Options options = telemetry.instrument(Options.DEFAULT);

  /** The tools of the server. */
  public static final class Tools {
    @McpTool("Returns the id of its trace")
    public String trace() {
      return Span.current().getSpanContext().getTraceId();
    }

    @McpTool("Fails")
    public String fail() {
      throw new ToolException("no");
    }
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  private Server listen(String endpoint) throws Exception {
    return McpServer.builder("test", "1")
        .tools(new Tools())
        .options(options)
        .build()
        .listen(endpoint);
  }

  private McpClient connect(Server server) throws Exception {
    return McpClient.builder("test", "1")
        .options(options)
        .connect(server.endpoint().toString());
  }

  private List<SpanData> calls(int count) {
    return recorder.named("tools/call", count);
  }

  private static SpanData only(List<SpanData> spans, SpanKind kind) {
    List<SpanData> found = spans.stream().filter(span -> span.getKind() == kind).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "http://127.0.0.1:0/mcp"})
  void aToolCallIsOneTraceWithTheNamesOfMcp(String endpoint) throws Exception {
    try (Server server = listen(endpoint);
        McpClient client = connect(server)) {
      String trace = client.call("trace", Map.of()).content().toString();
      List<SpanData> spans = calls(2);
      SpanData sent = only(spans, CLIENT);
      SpanData served = only(spans, SERVER);
      assertThat(trace).contains(sent.getTraceId());
      assertThat(served.getParentSpanId()).isEqualTo(sent.getSpanId());
      for (SpanData span : spans) {
        assertThat(span.getName()).isEqualTo("tools/call trace");
        assertThat(Recorder.text(span, "mcp.method.name")).isEqualTo("tools/call");
        assertThat(Recorder.text(span, "gen_ai.tool.name")).isEqualTo("trace");
        assertThat(Recorder.text(span, "gen_ai.operation.name")).isEqualTo("execute_tool");
        assertThat(Recorder.text(span, "network.transport")).isEqualTo("tcp");
        assertThat(Recorder.text(span, "rpc.system.name")).isNull();
        assertThat(Recorder.text(span, "jsonrpc.protocol.version")).isNull();
        assertThat(Recorder.text(span, "error.type")).isNull();
      }
      assertThat(Recorder.text(served, "mcp.protocol.version")).startsWith("20");
    }
  }

  @Test
  void theSessionsOfBothSidesHaveADuration() throws Exception {
    try (Server server = listen("tcp://127.0.0.1:0");
        McpClient client = connect(server)) {
      client.call("trace", Map.of());
    }
    for (String side : List.of("client", "server")) {
      assertThat(recorder.durations("mcp." + side + ".session.duration"))
          .extracting(HistogramPointData::getCount)
          .containsExactly(1L);
    }
  }

  @Test
  void theConnectionsOfAPeerThatReconnectsAreSessionsOfAClient() throws Exception {
    Service tools = Service.builder().method("tools/list", call -> Map.of()).build();
    CountDownLatch ended = new CountDownLatch(2);
    Options observed = telemetry.instrument(Options.builder()
        .listener(new Listener() {
          @Override
          public void disconnected(Peer peer, @Nullable Throwable cause) {
            ended.countDown();
          }
        })
        .build());
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", tools, observed);
        Peer client =
            Reconnecting.to(server.endpoint().toString()).options(observed).connect()) {
      client.call("tools/list", Json.class);
    }
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    for (String side : List.of("client", "server")) {
      assertThat(recorder.durations("mcp." + side + ".session.duration"))
          .extracting(HistogramPointData::getCount)
          .containsExactly(1L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "http://127.0.0.1:0/mcp"})
  void aToolThatFailsIsAToolError(String endpoint) throws Exception {
    try (Server server = listen(endpoint);
        McpClient client = connect(server)) {
      assertThat(client.call("fail", Map.of()).isError()).isTrue();
      for (SpanData span : calls(2)) {
        assertThat(Recorder.text(span, "error.type")).isEqualTo("tool_error");
        assertThat(Recorder.text(span, "rpc.status_code")).isNull();
      }
      for (int i = 0; i < 100; i++) {
        String name = "none" + i;
        assertThat(catchThrowable(() -> client.call(name, Map.of()))).isNotNull();
      }
      calls(202);
      AttributeKey<String> tool = AttributeKey.stringKey("gen_ai.tool.name");
      for (String metric :
          List.of("mcp.server.operation.duration", "mcp.client.operation.duration")) {
        assertThat(recorder.durations(metric))
            .extracting(point -> String.valueOf(point.getAttributes().get(tool)))
            .filteredOn(name -> !name.equals("null"))
            .containsOnly("fail", "_OTHER");
      }
    }
  }
}
