package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests HTTP servers that break the protocol, lose sessions or break off streams. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpFaultsTest {
  private static final String DONE = """
      {"resultType":"complete","content":[{"type":"text","text":"done"}]}""";

  private static McpClient connect(ScriptedServer server) throws IOException {
    return McpClient.connect(server.uri());
  }

  private static void assertDone(McpClient client) {
    assertThat(client.call("t", null).content()).containsExactly(Content.text("done"));
  }

  @Test
  void aRedirectToAnotherOriginIsRefused() throws Exception {
    try (ScriptedServer stranger = ScriptedServer.stateless(r -> r.result(DONE));
        ScriptedServer server = ScriptedServer.stateless(request -> {
          request.http().getResponseHeaders().set("Location", stranger.uri());
          request.answer(307, "", "");
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("another origin is refused")
          .hasMessageContaining(stranger.uri());
      assertThat(stranger.heard).isEmpty();
    }
  }

  @Test
  void aRedirectWithinTheOriginIsFollowed() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.http().getRequestURI().getPath().equals("/mcp")) {
            request.http().getResponseHeaders().set("Location", "/mcp/");
            request.answer(308, "", "");
          } else {
            request.result(DONE);
          }
        });
        McpClient client = connect(server)) {
      assertDone(client);
      assertDone(client);
      assertThat(server.count("tools/call")).isEqualTo(3);
    }
  }

  @Test
  void anEndlessRedirectEnds() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          request.http().getResponseHeaders().set("Location", "/mcp");
          request.answer(307, "", "");
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null)).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void anotherContentTypeIsNamed() throws Exception {
    try (ScriptedServer server =
            ScriptedServer.stateless(request -> request.answer(200, "text/html", "<p>Hi</p>"));
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("text/html");
    }
  }

  @Test
  void anAnswerToAnotherRequestIsNamed() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(
            request -> request.answer(200, "application/json", """
                {"jsonrpc":"2.0","id":999,"result":%s}""".formatted(DONE)));
        McpClient client = McpClient.builder("t", "1")
            .options(Options.builder().listener(Listener.NONE).build())
            .connect(server.uri())) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("did not answer 'tools/call'")
          .hasMessageContaining("999");
    }
  }

  @Test
  void anAnswerThatIsTooLargeFailsItsCall() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(
            request -> request.result("{\"content\":[],\"pad\":\"" + "x".repeat(100_000) + "\"}"));
        McpClient client = McpClient.builder("t", "1")
            .options(
                Options.builder().limits(limits -> limits.frameBytes(50_000)).build())
            .connect(server.uri())) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("frameBytes");
    }
  }

  @Test
  void anErrorStatusWithoutAMessageIsNamed() throws Exception {
    try (ScriptedServer server =
            ScriptedServer.stateless(request -> request.answer(503, "text/plain", "closed today"));
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("503")
          .hasMessageContaining("closed today")
          .isInstanceOfSatisfying(
              DisconnectedException.class,
              end -> assertThat(end.unsent()).isEqualTo(((HttpException) end.getCause()).unsent()));
    }
  }

  /** The request has crossed the end of an idle connection. */
  @Test
  void aCallThatAClosingServerHasNotReadIsSentAgain() throws Exception {
    AtomicBoolean refuses = new AtomicBoolean(true);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (refuses.getAndSet(false)) {
            request.http().getResponseHeaders().set("Repartee-Unsent", "1");
            request.answer(408, "text/plain", "closing");
          } else {
            request.result(DONE);
          }
        });
        McpClient client = connect(server)) {
      assertThat(client.call("t", null).content()).containsExactly(Content.text("done"));
    }
  }

  @Test
  void aCallThatAClosingServerHasRefusedIsSentAgain() throws Exception {
    AtomicBoolean refuses = new AtomicBoolean(true);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (refuses.getAndSet(false)) {
            request.error(200, """
                {"code":-31000,"message":"Closing","data":{"limit":"closing","max":0}}""");
          } else {
            request.result(DONE);
          }
        });
        McpClient client = connect(server)) {
      assertThat(client.call("t", null).content()).containsExactly(Content.text("done"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 503})
  void aCallOfWhichOnlyALaterRoundIsRefusedMayHaveRun(int status) throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (!request.message().toString().contains("requestState")) {
            request.result("""
                {"resultType":"input_required","requestState":"begun"}""");
          } else if (status == 503) {
            request.http().getResponseHeaders().set("Repartee-Unsent", "1");
            request.answer(status, "text/plain", "closing");
          } else {
            request.error(status, """
                {"code":-31000,"message":"Closing","data":{"limit":"closing","max":0}}""");
          }
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOfSatisfying(
              ReparteeException.class, end -> assertThat(end.unsent()).isNull());
    }
  }

  @Test
  void aTaskWhoseStateCannotBeReadMayHaveRun() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.method().equals("tasks/get")) {
            request.error(200, """
                {"code":-31000,"message":"Closing","data":{"limit":"closing","max":0}}""");
          } else {
            request.result("""
                {"resultType":"task","taskId":"7","status":"working"}""");
          }
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.request("t").start().get().await(Duration.ofMinutes(1)))
          .isInstanceOfSatisfying(
              ReparteeException.class, end -> assertThat(end.unsent()).isNull());
    }
  }

  @Test
  void anErrorWithoutAnIdAnswersItsRequest() throws Exception {
    try (ScriptedServer server =
            ScriptedServer.stateless(request -> request.answer(400, "application/json", """
                {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"""));
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32600");
    }
  }

  @Test
  void headersThatDoNotMatchMakeTheClientListTheToolsAndCallAgain() throws Exception {
    String tool = """
        {"name":"t","inputSchema":{"type":"object","properties":{"r":{"type":"string",\
        "x-mcp-header":"Region"}}}}""";
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.method().equals("tools/list")) {
            request.result("{\"resultType\":\"complete\",\"tools\":[" + tool + "]}");
          } else if (request.header("Mcp-Param-Region") == null) {
            request.error(400, "{\"code\":-32020,\"message\":\"Header mismatch\"}");
          } else {
            request.result(DONE.replace("done", request.header("Mcp-Param-Region")));
          }
        });
        McpClient client = connect(server)) {
      assertThat(client.call("t", Map.of("r", "west")).content())
          .containsExactly(Content.text("west"));
      assertThat(client.call("t", Map.of("r", " é")).content())
          .containsExactly(Content.text("=?base64?IMOp?="));
    }
  }

  // ---------------------------------------------------------------- sessions and streams

  @Test
  void aLostSessionIsReplacedAndTheRefusedCallSentAgain() throws Exception {
    AtomicInteger sessions = new AtomicInteger();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "initialize" -> {
              request
                  .http()
                  .getResponseHeaders()
                  .set("Mcp-Session-Id", "s" + sessions.incrementAndGet());
              request.result(ScriptedServer.INITIALIZED);
            }
            case "tools/call" -> {
              if (request.header("Mcp-Session-Id").equals("s1")) {
                request.answer(404, "text/plain", "gone");
              } else {
                request.result(DONE);
              }
            }
            case "" -> request.answer(405, "", "");
            default -> request.answer(request.method().startsWith("not") ? 202 : 404, "", "");
          }
        });
        McpClient client = connect(server)) {
      assertDone(client);
      assertThat(sessions).hasValue(2);
      assertThat(server.count("tools/call")).isEqualTo(2);
    }
  }

  @Test
  void noRequestOvertakesTheNotificationThatTheClientIsReady() throws Exception {
    CountDownLatch next = new CountDownLatch(1);
    CompletableFuture<Boolean> overtaken = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "initialize" -> {
              request.http().getResponseHeaders().set("Mcp-Session-Id", "s1");
              request.result(ScriptedServer.INITIALIZED);
            }
            case "notifications/initialized" -> {
              overtaken.complete(next.await(300, TimeUnit.MILLISECONDS));
              request.answer(202, "", "");
            }
            case "" -> {
              next.countDown();
              request.answer(405, "", "");
            }
            default -> request.answer(404, "", "");
          }
        });
        McpClient client = connect(server)) {
      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
      assertThat(overtaken.get(30, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void noRequestOf20241105OvertakesTheNotificationThatTheClientIsReady() throws Exception {
    CountDownLatch next = new CountDownLatch(1);
    CompletableFuture<Boolean> overtaken = new CompletableFuture<>();
    CompletableFuture<OutputStream> events = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "" -> {
              request.http().getResponseHeaders().set("Content-Type", "text/event-stream");
              request.http().sendResponseHeaders(200, 0);
              OutputStream out = request.http().getResponseBody();
              out.write("event: endpoint\ndata: /messages\n\n".getBytes(UTF_8));
              out.flush();
              events.complete(out);
            }
            case "notifications/initialized" -> {
              overtaken.complete(next.await(300, TimeUnit.MILLISECONDS));
              request.answer(202, "", "");
            }
            default -> {
              boolean begins = request.method().equals("initialize");
              if (!begins) {
                next.countDown();
              }
              request.answer(202, "", "");
              String result =
                  begins ? ScriptedServer.INITIALIZED.replace("2025-11-25", "2024-11-05") : "{}";
              events.get().write("""
                  data: {"jsonrpc":"2.0","id":%s,"result":%s}

                  """.formatted(request.id(), result).getBytes(UTF_8));
              events.get().flush();
            }
          }
        });
        McpClient client =
            McpClient.builder("t", "1").revisions(Revision.V2024_11_05).connect(server.uri())) {
      client.ping();
      assertThat(overtaken.get(30, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void theServerIsKnownWhileALostSessionIsReplaced() throws Exception {
    AtomicInteger sessions = new AtomicInteger();
    AtomicReference<McpClient> client = new AtomicReference<>();
    CompletableFuture<Revision> meanwhile = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "initialize" -> {
              if (sessions.incrementAndGet() == 2) {
                meanwhile.complete(client.get().revision());
              }
              request.http().getResponseHeaders().set("Mcp-Session-Id", "s" + sessions.get());
              request.result(ScriptedServer.INITIALIZED);
            }
            case "tools/call" -> {
              if (request.header("Mcp-Session-Id").equals("s1")) {
                request.answer(404, "text/plain", "gone");
              } else {
                request.result(DONE);
              }
            }
            case "" -> request.answer(405, "", "");
            default -> request.answer(request.method().startsWith("not") ? 202 : 404, "", "");
          }
        });
        McpClient connected = connect(server)) {
      client.set(connected);
      assertDone(connected);
      assertThat(meanwhile).isCompletedWithValue(connected.revision());
    }
  }

  @Test
  void aBrokenStreamContinuesWithItsLastEventId() throws Exception {
    CompletableFuture<String> lastId = new CompletableFuture<>();
    CompletableFuture<String> id = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          String last = request.header("Last-Event-ID");
          if (request.method().equals("tools/call")) {
            id.complete(request.id().toString());
            request.answer(200, "text/event-stream", "id: e1\nretry: 10\ndata: \n\n");
          } else if (last != null) {
            lastId.complete(last);
            request.answer(200, "text/event-stream", """
                id: e2
                data: {"jsonrpc":"2.0","id":%s,"result":%s}

                """.formatted(id.get(), DONE));
          } else {
            request.answer(405, "", "");
          }
        });
        McpClient client = connect(server)) {
      assertDone(client);
      assertThat(lastId.get()).isEqualTo("e1");
      assertThat(server.count("tools/call")).isEqualTo(1);
    }
  }

  @Test
  void aBrokenStreamWithoutIdsFailsItsCallAndIsNotSentAgain() throws Exception {
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          request.http().getResponseHeaders().set("Content-Type", "text/event-stream");
          request.http().sendResponseHeaders(200, 0);
          OutputStream out = request.http().getResponseBody();
          out.write(": nothing yet\n\n".getBytes(UTF_8));
          out.flush();
          request.http().close();
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOfAny(DisconnectedException.class, ProtocolException.class);
      assertThat(server.count("tools/call")).isEqualTo(1);
    }
  }

  @Test
  void aStreamThatIsNotContinuedFailsItsCallAndIsNotSentAgain() throws Exception {
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          if (request.method().equals("tools/call")) {
            request.answer(200, "text/event-stream", "id: e1\nretry: 10\ndata: \n\n");
          } else {
            request.answer(request.header("Last-Event-ID") == null ? 405 : 404, "", "");
          }
        });
        McpClient client = connect(server)) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("does not continue it");
      assertThat(server.count("tools/call")).isEqualTo(1);
    }
  }

  @Test
  void aServerOfEarlierRevisionsGetsTheHandshakeAndThenAtOnce() throws Exception {
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
      if (request.method().isEmpty()) {
        request.answer(405, "", "");
      } else {
        request.result(DONE);
      }
    })) {
      try (McpClient client = connect(server)) {
        assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
        assertDone(client);
      }
      try (McpClient client = connect(server)) {
        assertDone(client);
      }
      assertThat(server.count("server/discover")).isEqualTo(1);
      assertThat(server.heard).anyMatch(r -> r.http().getRequestMethod().equals("DELETE"));
    }
  }

  @Test
  void anEventStreamThatSendsMessagesToAnotherOriginIsRefused() throws Exception {
    try (ScriptedServer server = ScriptedServer.of(request -> {
      if (request.http().getRequestMethod().equals("GET")) {
        request.http().getResponseHeaders().set("Content-Type", "text/event-stream");
        request.http().sendResponseHeaders(200, 0);
        OutputStream out = request.http().getResponseBody();
        out.write("event: endpoint\ndata: http://127.0.0.1:1/x\n\n".getBytes(UTF_8));
        out.flush();
      } else {
        request.answer(405, "", "");
      }
    })) {
      assertThatThrownBy(() -> connect(server))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("another origin");
    }
  }

  // ---------------------------------------------------------------- authorization

  /** Sends the number of refusals so far as a token. */
  private static class Counting implements HttpAuthorization {
    final AtomicInteger refusals = new AtomicInteger();
    volatile boolean givesUp;
    volatile List<String> challenges = List.of();

    @Override
    public CompletionStage<Headers> headers(Request request) {
      return CompletableFuture.supplyAsync(
          () -> Headers.NONE.with("Authorization", "Bearer " + refusals.get()));
    }

    @Override
    public CompletionStage<Boolean> refused(Refusal refusal) {
      challenges = refusal.challenges();
      assertThat(refusal.sent().fields())
          .containsEntry("Authorization", "Bearer " + refusals.get());
      refusals.incrementAndGet();
      return CompletableFuture.supplyAsync(() -> !givesUp);
    }
  }

  private static ScriptedServer guarded(String token) throws IOException {
    return ScriptedServer.of(request -> {
      if (!("Bearer " + token).equals(request.header("Authorization"))) {
        request.http().getResponseHeaders().set("WWW-Authenticate", "Bearer scope=\"a\"");
        request.answer(401, "text/plain", "who are you?");
      } else if (request.method().equals("server/discover")) {
        request.result(ScriptedServer.DISCOVERED);
      } else {
        request.result(DONE);
      }
    });
  }

  @Test
  void aRefusedRequestIsSentAgainWithNewCredentials() throws Exception {
    Counting authorization = new Counting();
    try (ScriptedServer server = guarded("2");
        McpClient client =
            McpClient.builder("t", "1").authorization(authorization).connect(server.uri())) {
      assertDone(client);
      assertThat(authorization.refusals).hasValue(2);
      assertThat(authorization.challenges).containsExactly("Bearer scope=\"a\"");
      assertThat(server.count("tools/call")).isEqualTo(1);
    }
  }

  @Test
  void refusalsEnd() throws Exception {
    Counting authorization = new Counting();
    try (ScriptedServer server = guarded("none")) {
      assertThatThrownBy(
              () -> McpClient.builder("t", "1").authorization(authorization).connect(server.uri()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("401");
      assertThat(authorization.refusals).hasValue(HttpAuthorization.MAX_ATTEMPTS);
      authorization.givesUp = true;
      assertThatThrownBy(
              () -> McpClient.builder("t", "1").authorization(authorization).connect(server.uri()))
          .isInstanceOf(IOException.class);
      assertThat(authorization.refusals).hasValue(HttpAuthorization.MAX_ATTEMPTS + 1);
    }
  }

  @Test
  void theEndOfASessionAsksForNoLogin() throws Exception {
    Counting authorization = new Counting();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
      switch (request.http().getRequestMethod()) {
        case "GET" -> request.answer(405, "", "");
        case "DELETE" -> request.answer(401, "", "");
        default -> request.result(DONE);
      }
    })) {
      try (McpClient client =
          McpClient.builder("t", "1").authorization(authorization).connect(server.uri())) {
        assertDone(client);
      }
      assertThat(server.heard)
          .filteredOn(r -> r.http().getRequestMethod().equals("DELETE"))
          .hasSize(1);
      assertThat(authorization.refusals).hasValue(0);
    }
  }

  @Test
  void aClientClosesAlsoWhileItsAuthorizationWaits() throws Exception {
    CompletableFuture<Headers> never = new CompletableFuture<>();
    HttpAuthorization waiting = new HttpAuthorization() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        return request.method().equals("DELETE")
            ? never
            : CompletableFuture.completedFuture(Headers.NONE);
      }

      @Override
      public CompletionStage<Boolean> refused(Refusal refusal) {
        return CompletableFuture.completedFuture(false);
      }
    };
    CountDownLatch closed = new CountDownLatch(1);
    Options options = Options.builder()
        .limits(limits -> limits.closeTimeout(Duration.ofMillis(50)))
        .listener(new Listener() {
          @Override
          public void disconnected(Peer peer, Throwable cause) {
            closed.countDown();
          }
        })
        .build();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
      if (request.http().getRequestMethod().equals("GET")) {
        request.answer(405, "", "");
      } else {
        request.result(DONE);
      }
    })) {
      try (McpClient client = McpClient.builder("t", "1")
          .options(options)
          .authorization(waiting)
          .connect(server.uri())) {
        assertDone(client);
      }
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anAuthorizationLearnsTheServerOfARedirectedRequest() throws Exception {
    List<HttpAuthorization.Request> requests = new CopyOnWriteArrayList<>();
    Counting authorization = new Counting() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        requests.add(request);
        return super.headers(request);
      }
    };
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.http().getRequestURI().getPath().equals("/mcp")) {
            request.http().getResponseHeaders().set("Location", "/mcp/");
            request.answer(308, "", "");
          } else {
            request.result(DONE);
          }
        });
        McpClient client =
            McpClient.builder("t", "1").authorization(authorization).connect(server.uri())) {
      assertDone(client);
      assertThat(requests)
          .extracting(HttpAuthorization.Request::server)
          .containsOnly(URI.create(server.uri()));
      assertThat(requests)
          .extracting(HttpAuthorization.Request::uri)
          .contains(URI.create(server.uri()), URI.create(server.uri() + "/"));
    }
  }

  @Test
  void callsWhoseAuthorizationReturnsNoStageFailAndOccupyNoPlace() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    HttpAuthorization authorization = new Counting() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        return broken.get() ? null : super.headers(request);
      }
    };
    try (ScriptedServer server = ScriptedServer.stateless(request -> request.result(DONE));
        McpClient client =
            McpClient.builder("t", "1").authorization(authorization).connect(server.uri())) {
      broken.set(true);
      for (int i = 0; i < 100; i++) { // more than may be under way
        assertThatThrownBy(() -> client.call("t", null))
            .hasStackTraceContaining("HttpAuthorization returned null, not a stage");
      }
      broken.set(false);
      assertDone(client);
    }
  }

  @Test
  void theFailureOfAnAuthorizationIsThatOfTheCall() throws Exception {
    HttpAuthorization broken = new HttpAuthorization() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        return CompletableFuture.failedStage(new IllegalStateException("no token; log in first"));
      }

      @Override
      public CompletionStage<Boolean> refused(Refusal refusal) {
        return CompletableFuture.completedStage(false);
      }
    };
    try (ScriptedServer server = guarded("0")) {
      assertThatThrownBy(
              () -> McpClient.builder("t", "1").authorization(broken).connect(server.uri()))
          .hasMessageContaining("log in first");
      assertThat(server.heard).isEmpty();
    }
  }
}
