package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpFilter;
import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers of single messages over the HTTP transports. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageHeadersTest {
  private final AtomicInteger tokens = new AtomicInteger();

  /** Options that add a new token to each message, and a trace context to each call of a tool. */
  private final Options options = Options.builder()
      .headers(() -> Map.of("Token", "t" + tokens.incrementAndGet()))
      .callLayer((call, next) -> {
        if (call.method().equals("tools/call")) {
          call.requestHeader("traceparent", "00-1");
        }
        return next.handle(call);
      })
      .build();

  /** The headers of a POST that has arrived. */
  private record Seen(@Nullable String token, @Nullable String traceparent) {}

  @ParameterizedTest
  @ValueSource(strings = {"2024-11-05", "2025-11-25", "2026-07-28"})
  void eachMessageHasItsOwnHeaders(String revision) throws Exception {
    List<Seen> seen = new CopyOnWriteArrayList<>();
    HttpFilter filter = request -> {
      if (request.method().equals("POST")) {
        seen.add(new Seen(request.header("token"), request.header("traceparent")));
      }
      return null;
    };
    McpServer mcp = McpServer.builder("s", "1")
        .tool(Tool.named("t").description("Answers").handle((call, arguments) -> "x"))
        .build();
    HttpRoutes routes =
        HttpRoutes.builder().filter(filter).at("/mcp", mcp.peers()).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", routes);
        McpClient client = McpClient.builder("c", "1")
            .options(options)
            .revisions(Revision.of(revision))
            .connect(server.endpoint() + "mcp")) {
      client.call("t", null);
      client.call("t", null);
      assertThat(seen).extracting(Seen::traceparent).contains((String) null);
      assertThat(seen).filteredOn(each -> "00-1".equals(each.traceparent)).hasSize(2);
      assertThat(seen).extracting(Seen::token).doesNotContainNull().doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-11-05", "2025-11-25", "2026-07-28"})
  void aToolReadsTheHeadersOfItsCall(String revision) throws Exception {
    McpServer mcp = McpServer.builder("s", "1")
        .tool(Tool.named("t")
            .description("Answers")
            .handle((call, arguments) -> String.valueOf(call.call().header("Traceparent"))))
        .build();
    HttpRoutes routes = HttpRoutes.builder().at("/mcp", mcp.peers()).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", routes);
        McpClient client = McpClient.builder("c", "1")
            .options(options)
            .revisions(Revision.of(revision))
            .connect(server.endpoint() + "mcp")) {
      assertThat(client.call("t", null).content())
          .isEqualTo(ToolResult.text("00-1").content());
    }
  }

  @Test
  void anAuthorizationReplacesTheHeadersOfItsNameIgnoringCase() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpFilter filter = request -> {
      if (request.method().equals("POST")) {
        seen.add(String.valueOf(request.header("Authorization")));
      }
      return null;
    };
    HttpRoutes routes = HttpRoutes.builder()
        .filter(filter)
        .at("/mcp", McpServer.builder("s", "1").build().peers())
        .build();
    Options both = Options.builder()
        .header("Authorization", "of the endpoint")
        .headers(() -> Map.of("authorization", "of the message"))
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", routes);
        McpClient client = McpClient.builder("c", "1")
            .options(both)
            .authorization(HttpAuthorization.bearer("token"))
            .connect(server.endpoint() + "mcp")) {
      client.ping();
      assertThat(seen).isNotEmpty().containsOnly("Bearer token");
    }
  }

  @Test
  void theContinuationOfAnAnswerHasTheHeadersOfItsCall() throws Exception {
    CompletableFuture<String> called = new CompletableFuture<>();
    CompletableFuture<String> continued = new CompletableFuture<>();
    CompletableFuture<Json> id = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          if (request.method().equals("tools/call")) {
            id.complete(request.id());
            called.complete(request.header("Token") + request.header("traceparent"));
            request.answer(200, "text/event-stream", "id: e1\nretry: 10\ndata: \n\n");
          } else if (request.header("Last-Event-ID") != null) {
            continued.complete(request.header("Token") + request.header("traceparent"));
            request.answer(
                200,
                "text/event-stream",
                "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id.get()
                    + ",\"result\":{\"content\":[]}}\n\n");
          } else {
            request.answer(405, "", "");
          }
        });
        McpClient client = McpClient.builder("c", "1").options(options).connect(server.uri())) {
      client.call("t", null);
      assertThat(continued.get()).isEqualTo(called.get()).startsWith("t").endsWith("00-1");
    }
  }
}
