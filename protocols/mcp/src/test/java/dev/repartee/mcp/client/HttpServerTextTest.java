package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.mcp.types.Content;
import dev.repartee.transport.ChannelInfo;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests headers, ids and addresses that a server sends and that its client uses in later requests.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpServerTextTest {
  private static final String DONE = """
      {"resultType":"complete","content":[{"type":"text","text":"%s"}]}""";

  private final List<String> violations = new CopyOnWriteArrayList<>();

  private McpClient.Builder settings() {
    return McpClient.builder("t", "1")
        .options(Options.builder()
            .listener(new Listener() {
              @Override
              public void violation(ChannelInfo channel, String violation) {
                violations.add(violation);
              }
            })
            .build());
  }

  private static String result(Object id, String text) {
    return """
        {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(id, DONE.formatted(text));
  }

  @Test
  void aSessionIdThatNoHeaderCanHoldBreaksTheProtocol() throws Exception {
    try (ScriptedServer server = ScriptedServer.of(request -> {
      if (request.method().equals("initialize")) {
        request.http().getResponseHeaders().set("Mcp-Session-Id", "a\u00e9b");
        request.result(ScriptedServer.INITIALIZED);
      } else {
        request.answer(400, "text/plain", "");
      }
    })) {
      assertThatThrownBy(() -> McpClient.connect(server.uri()))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("'initialize'")
          .hasMessageContaining("Mcp-Session-Id");
      assertThat(server.count("notifications/initialized")).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"307, /mcp /moved /mcp /moved", "308, /mcp /moved /moved"})
  void onlyAPermanentRedirectIsKeptForLaterRequests(int status, String addresses) throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.http().getRequestURI().getPath().equals("/mcp")) {
            request.http().getResponseHeaders().set("Location", "/moved");
            request.answer(status, "", "");
          } else {
            request.result(DONE.formatted("done"));
          }
        });
        McpClient client = McpClient.connect(server.uri())) {
      client.call("t", null);
      client.call("t", null);
      assertThat(server.heard.stream()
              .filter(request -> request.method().equals("tools/call"))
              .map(request -> request.http().getRequestURI().getPath()))
          .containsExactly(addresses.split(" "));
    }
  }

  @Test
  void aPermanentRedirectBehindATemporaryOneIsNotKept() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          String path = request.http().getRequestURI().getPath();
          if (path.equals("/end")) {
            request.result(DONE.formatted("done"));
          } else {
            request
                .http()
                .getResponseHeaders()
                .set("Location", path.equals("/mcp") ? "/between" : "/end");
            request.answer(path.equals("/mcp") ? 307 : 308, "", "");
          }
        });
        McpClient client = McpClient.connect(server.uri())) {
      client.call("t", null);
      client.call("t", null);
      assertThat(server.heard.stream()
              .filter(request -> request.http().getRequestURI().getPath().equals("/mcp")))
          .hasSize(3); // with server/discover
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"%s", "[%s]"})
  void aResponseInTheAnswerToAnotherRequestIsIgnoredAndReported(String form) throws Exception {
    CompletableFuture<String> first = new CompletableFuture<>();
    CountDownLatch crossed = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (first.complete(request.id().toString())) {
            crossed.await();
            request.result(DONE.formatted("own"));
            return;
          }
          request.http().getResponseHeaders().set("Content-Type", "text/event-stream");
          request.http().sendResponseHeaders(200, 0);
          OutputStream out = request.http().getResponseBody();
          String events = "data: " + form.formatted(result(first.join(), "stolen")) + "\n\ndata: "
              + result(request.id(), "second") + "\n\n";
          out.write(events.getBytes(UTF_8));
          request.http().close();
        });
        McpClient client = settings().connect(server.uri())) {
      CompletableFuture<?> own = client.request("t").send().thenApply(it -> it.content());
      first.get(60, TimeUnit.SECONDS);
      assertThat(client.call("t", null).content()).containsExactly(Content.text("second"));
      crossed.countDown();
      assertThat(own.get(60, TimeUnit.SECONDS)).isEqualTo(List.of(Content.text("own")));
      assertThat(violations).singleElement().asString().contains("response to another request");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"?q=1", "/mcp?q=1"})
  void aRedirectIsResolvedAsRfc3986Says(String location) throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.http().getRequestURI().getQuery() == null) {
            request.http().getResponseHeaders().set("Location", location);
            request.answer(307, "", "");
          } else {
            request.result(DONE.formatted(request.http().getRequestURI()));
          }
        });
        McpClient client = McpClient.connect(server.uri())) {
      assertThat(client.call("t", null).content()).containsExactly(Content.text("/mcp?q=1"));
    }
  }

  @Test
  void aRedirectWithoutAnAddressIsRefused() throws Exception {
    try (ScriptedServer server =
            ScriptedServer.stateless(request -> request.answer(308, "text/plain", "nowhere"));
        McpClient client = McpClient.connect(server.uri())) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("redirects to ''");
      assertThat(server.count("tools/call")).isEqualTo(1);
    }
  }

  @Test
  void theAttemptsOfARequestThatIsNoCallShareItsTimeOut() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Options options = Options.builder()
        .limits(limits -> limits.callTimeout(Duration.ofSeconds(2)))
        .build();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "initialize" -> request.result(ScriptedServer.INITIALIZED);
            case "notifications/initialized" -> {
              never.await(1_200, TimeUnit.MILLISECONDS); // in time, but two of them are not
              request.http().getResponseHeaders().set("Location", "/mcp");
              request.answer(307, "", "");
            }
            default -> request.answer(405, "", "");
          }
        });
        McpClient client = McpClient.builder("t", "1").options(options).connect(server.uri())) {
      assertThat(client.revision().isStateless()).isFalse();
      assertThat(server.count("notifications/initialized")).isBetween(1L, 2L);
    }
  }
}
