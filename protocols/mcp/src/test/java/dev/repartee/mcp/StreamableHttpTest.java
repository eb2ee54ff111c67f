package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.mcp.http.ReplayBuffers;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.testkit.memory.HeldWatch;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streamable HTTP with sessions, up to 2025-11-25. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class StreamableHttpTest {
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private McpServer mcp;
  private Server server;
  private Http http;

  @BeforeEach
  void listen() throws Exception {
    mcp = TestServer.builder()
        .tool(Tool.named("hold").description("Reports, and waits").handle((call, arguments) -> {
          call.cancellation().onCancel(cancelled::countDown);
          call.progress(1, 2);
          entered.countDown();
          while (!released.await(10, TimeUnit.MILLISECONDS)) {
            call.cancellation().throwIfCancelled();
          }
          return "held";
        }))
        .tool(Tool.named("chat").description("Logs much").handle((call, arguments) -> {
          for (int i = 0; i < 1_500; i++) {
            call.log(LogLevel.ERROR, "x".repeat(100));
          }
          return "said";
        }))
        .tool(
            Tool.named("poll").description("Has the client come back").handle((call, arguments) -> {
              call.closeSseStream(Duration.ofMillis(20));
              return "found";
            }))
        .build();
    server = mcp.listen("http://127.0.0.1:0/mcp");
    http = new Http(server);
  }

  @AfterEach
  void close() {
    released.countDown();
    server.close(Duration.ofSeconds(1));
  }

  private static String initialize(String revision) {
    return """
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s",\
        "capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}\
        """.formatted(revision);
  }

  private Http begin(String revision) throws Exception {
    HttpResponse<String> answer = http.post(initialize(revision));
    assertThat(answer.statusCode()).isEqualTo(200);
    Http session = http.with(
            "Mcp-Session-Id", answer.headers().firstValue("mcp-session-id").orElseThrow())
        .with("MCP-Protocol-Version", revision);
    HttpResponse<String> ready = session.post("""
        {"jsonrpc":"2.0","method":"notifications/initialized"}""");
    assertThat(ready.statusCode()).isEqualTo(202);
    assertThat(ready.body()).isEmpty();
    return session;
  }

  private static String call(int id, String tool, String arguments, String meta) {
    return """
        {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s,\
        "_meta":%s}}""".formatted(id, tool, arguments, meta);
  }

  private static Http.Event next(Http.Events events) throws Exception {
    return Objects.requireNonNull(events.next(), "the stream ended");
  }

  @ParameterizedTest
  @CsvSource({
    "2024-11-05,2024-11-05",
    "2025-03-26,2025-03-26",
    "2025-06-18,2025-06-18",
    "2025-11-25,2025-11-25",
    "1999-01-01,2025-11-25",
    "2026-07-28,2025-11-25"
  })
  void theHandshakeAnswersTheRequestedRevisionOrTheNewestWithAHandshake(String asked, String spoken)
      throws Exception {
    Json result = Objects.requireNonNull(Http.json(http.post(initialize(asked))).get("result"));
    assertThat(result.get("protocolVersion")).isEqualTo(Json.of(spoken));
    assertThat(result.get("instructions")).isEqualTo(Json.of("Add things."));
  }

  @Test
  void aCallWithoutNotificationsIsAnsweredAsJson() throws Exception {
    HttpResponse<String> answer =
        begin("2025-11-25").post(call(1, "add", "{\"a\":1,\"b\":2}", "{}"));
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.body()).contains("\"structuredContent\":{\"sum\":3}");
  }

  @Test
  void progressAndResultComeOnTheStreamOfTheRequest() throws Exception {
    Http session = begin("2025-11-25");
    try (Http.Events events =
        session.open(call(1, "work", "{\"endless\":false}", "{\"progressToken\":7}"))) {
      assertThat(events.type()).startsWith("text/event-stream");
      assertThat(next(events).fields()).containsEntry("data", "").containsKey("id");
      for (int step = 1; step <= 3; step++) {
        assertThat(next(events).json().toString())
            .contains("notifications/progress", "\"progressToken\":7", "\"progress\":" + step);
      }
      assertThat(next(events).json().get("id")).isEqualTo(Json.of(1));
      assertThat(events.next()).isNull();
    }
  }

  @Test
  void aServerRequestComesOnTheStreamOfItsCall() throws Exception {
    Http session = begin("2025-06-18");
    try (Http.Events events = session.open(call(1, "greet", "{}", "{}"))) {
      Json asked = next(events).json();
      assertThat(asked.get("method")).isEqualTo(Json.of("elicitation/create"));
      HttpResponse<String> taken = session.post("""
          {"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ann"}}}\
          """.formatted(asked.get("id")));
      assertThat(taken.statusCode()).isEqualTo(202);
      assertThat(next(events).json().toString()).contains("Hello, ").contains("Ann");
    }
  }

  /** The form of the tool {@code wed}. */
  record Vow(boolean yes) {}

  @ParameterizedTest
  @CsvSource({"decline", "cancel"})
  void aUserWhoDeclinesIsNoJsonRpcError(String action) throws Exception {
    mcp.tools()
        .add(Tool.named("wed")
            .description("Weds")
            .handle((call, arguments) ->
                call.elicit("vow", Elicitation.form("Do you?", Vow.class)).content(Vow.class)));
    Http session = begin("2025-11-25");
    try (Http.Events events = session.open(call(1, "wed", "{}", "{}"))) {
      next(events); // where to come back to
      Json asked = next(events).json();
      session.post("""
          {"jsonrpc":"2.0","id":%s,"result":{"action":"%s"}}""".formatted(asked.get("id"), action));
      assertThat(next(events).json().toString())
          .contains("\"isError\":true", "did not agree", action)
          .doesNotContain("-326");
    }
  }

  @Test
  void withoutAStreamOfTheCallAServerRequestComesOnTheStreamOfTheGet() throws Exception {
    Http session = begin("2025-06-18");
    try (Http.Events events = session.listen()) {
      CompletableFuture<HttpResponse<String>> answer =
          session.with("Accept", "*/*").later(call(1, "greet", "{}", "{}"));
      Json asked = next(events).json();
      assertThat(asked.get("method")).isEqualTo(Json.of("elicitation/create"));
      session.post("""
          {"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}""".formatted(asked.get("id")));
      assertThat(answer.get().body()).contains("Bye");
    }
  }

  @Test
  void aClientThatDisconnectsCancelsNothingAndCanResumeTheStream() throws Exception {
    Http session = begin("2025-11-25");
    String last;
    try (Http.Events events = session.open(call(1, "hold", "{}", "{\"progressToken\":1}"))) {
      next(events);
      last = Objects.requireNonNull(next(events).fields().get("id"));
    }
    entered.await();
    released.countDown();
    try (Http.Events events = session.with("Last-Event-ID", last).listen()) {
      assertThat(next(events).json().toString()).contains("held");
    }
    assertThat(cancelled.getCount()).isEqualTo(1);
  }

  @Test
  void keptEventsTakeNoMemoryFromAnswers() throws Exception {
    Http session = begin("2025-11-25");
    for (int i = 0; i < 3; i++) {
      assertThat(session.post(call(i, "chat", "{}", "{}")).body()).endsWith("}\n\n");
    }
    HeldWatch.await(MemoryBudget.ofAnswers(), 0, 0);
    assertThat(ReplayBuffers.PROCESS.held()).isPositive();
  }

  @Test
  void aServerMayCloseTheConnectionAndTheClientResumes() throws Exception {
    Http session = begin("2025-11-25");
    String last = "";
    String retry = "";
    try (Http.Events events = session.open(call(1, "poll", "{}", "{}"))) {
      for (Http.Event e = events.next(); e != null; e = events.next()) {
        last = e.fields().getOrDefault("id", last);
        retry = e.fields().getOrDefault("retry", retry);
      }
    }
    assertThat(retry).isEqualTo("20");
    try (Http.Events events = session.with("Last-Event-ID", last).listen()) {
      assertThat(next(events).json().toString()).contains("found");
    }
  }

  @Test
  void cancellingACallEndsItsPostWithoutAnAnswer() throws Exception {
    Http session = begin("2025-11-25");
    try (Http.Events events = session.open(call(1, "hold", "{}", "{\"progressToken\":1}"))) {
      next(events);
      next(events);
      session.post("""
          {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}""");
      assertThat(events.next()).isNull();
    }
    cancelled.await();
  }

  @Test
  void endingASessionCancelsAllItsCallsEvenOfTheSameId() throws Exception {
    Http session = begin("2025-11-25");
    Http other = begin("2025-11-25");
    String work = call(1, "work", "{\"endless\":true}", "{}");
    CompletableFuture<HttpResponse<String>> first = session.later(work);
    CompletableFuture<HttpResponse<String>> second = session.later(work);
    awaitRunning(other, 2);
    assertThat(session.send("DELETE").statusCode()).isEqualTo(204);
    awaitRunning(other, 0);
    assertThat(first.get().body()).doesNotContain("is done");
    assertThat(second.get().body()).doesNotContain("is done");
  }

  private static void awaitRunning(Http session, int calls) throws Exception {
    while (!session
        .post(call(1, "running", "{}", "{}"))
        .body()
        .contains("\"text\":\"" + calls + "\"")) {
      Thread.sleep(5);
    }
  }

  @Test
  void messagesOfNoRequestComeOnTheStreamOfTheGet() throws Exception {
    Http session = begin("2025-11-25");
    session.post("""
        {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://one"}}""");
    try (Http.Events events = session.listen()) {
      next(events); // where to come back to
      mcp.tools().add(Tool.named("new").handle((call, arguments) -> "new"));
      assertThat(next(events).json().get("method"))
          .isEqualTo(Json.of("notifications/tools/list_changed"));
      mcp.updated("test://other");
      mcp.updated("test://one");
      assertThat(next(events).json().toString()).contains("resources/updated", "test://one");
    }
  }

  @Test
  void aUrlElicitationIsRequiredAndItsCompletionIsReported() throws Exception {
    mcp.tools().add(Tool.named("pay").description("Pays").handle((call, arguments) -> {
      call.requireUrlElicitation(Elicitation.url("Pay here", "https://pay.example/7", "p7"));
      return "paid";
    }));
    assertThat(begin("2025-06-18").post(call(1, "pay", "{}", "{}")).body())
        .contains("\"isError\":true", "https://pay.example/7");
    Http session = begin("2025-11-25");
    assertThat(session.post(call(1, "pay", "{}", "{}")).body()).contains("-32042", """
        {"elicitations":[{"mode":"url","message":"Pay here",\
        "url":"https://pay.example/7","elicitationId":"p7"}]}""");
    try (Http.Events events = session.listen()) {
      next(events); // where to come back to
      mcp.completeElicitation("p8");
      mcp.completeElicitation("p7");
      assertThat(next(events).json().toString())
          .contains("notifications/elicitation/complete", "p7");
    }
  }

  @Test
  void cancellingOneCallOfABatchKeepsTheOthers() throws Exception {
    Http session = begin("2025-03-26");
    String batch =
        "[" + call(1, "hold", "{}", "{}") + "," + call(2, "add", "{\"a\":1,\"b\":2}", "{}") + "]";
    CompletableFuture<HttpResponse<String>> answer = session.later(batch);
    entered.await();
    session.post("""
        {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}""");
    cancelled.await();
    assertThat(Http.json(answer.get()).elements())
        .singleElement()
        .satisfies(one -> assertThat(one.get("id")).isEqualTo(Json.of(2)));
  }

  @Test
  void theConnectionOfAClientThatCannotResumeIsNotClosed() throws Exception {
    HttpResponse<String> answer = begin("2025-06-18").post(call(1, "poll", "{}", "{}"));
    assertThat(answer.body()).contains("found");
  }

  @Test
  void statelessMethodsAreNotFoundInASession() throws Exception {
    Http session = begin("2025-11-25");
    for (String method : List.of("server/discover", "subscriptions/listen", "tasks/get")) {
      assertThat(session.post("""
          {"jsonrpc":"2.0","id":1,"method":"%s"}""".formatted(method)).body()).contains("-32601");
    }
  }

  @Test
  void clientInfoAndCapabilitiesAreLimited() throws Exception {
    String long64k = initialize("2025-11-25")
        .replace("\"name\":\"t\"", "\"name\":\"" + "t".repeat(65_536) + "\"");
    assertThat(http.post(long64k).body()).contains("-32602", "65536 bytes");
    Http session = begin("2025-11-25");
    String subscribe = """
        {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":\"""";
    assertThat(session.post(subscribe + "x".repeat(65_000) + "\"}}").body()).contains("result");
    assertThat(session.post(subscribe + "y".repeat(600) + "\"}}").body()).contains("-32602");
  }

  @Test
  void anIdThatMcpDoesNotAllowIsRejected() throws Exception {
    Http session = begin("2025-11-25");
    assertThat(session.post("""
        {"jsonrpc":"2.0","id":1.5,"method":"ping"}""").body()).contains("-32600");
    assertThat(session
            .post(call(1, "add", "{\"a\":1,\"b\":2}", "{\"progressToken\":null}"))
            .body())
        .contains("-32602", "progressToken");
  }

  @Test
  void deviationsThatHaveANameAreTolerated() throws Exception {
    Http session = begin("2025-11-25");
    for (String ping : new String[] {
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}",
      "{\"id\":1,\"method\":\"ping\"}",
      "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
    }) {
      assertThat(session.post(ping).body()).contains("\"result\":{}");
    }
  }

  @Test
  void aRunningCallIsAnsweredThoughTheServerCloses() throws Exception {
    Http session = begin("2025-11-25");
    try (Http.Events events = session.open(call(1, "hold", "{}", "{\"progressToken\":1}"))) {
      next(events);
      next(events);
      CompletableFuture<Void> closed = CompletableFuture.runAsync(
          () -> server.close(Duration.ofSeconds(20)), work -> new Thread(work).start());
      released.countDown();
      assertThat(next(events).json().toString()).contains("held");
      closed.join();
    }
  }

  @Test
  void aRejectedHandshakeCreatesNoSession() throws Exception {
    HttpResponse<String> refused =
        http.post(initialize("2025-11-25").replace("clientInfo", "client"));
    assertThat(refused.body()).contains("-32602", "clientInfo");
    String id = refused.headers().firstValue("mcp-session-id").orElse("none");
    assertThat(http.with("Mcp-Session-Id", id).post(call(1, "add", "{}", "{}")).statusCode())
        .isEqualTo(404);
  }

  @Test
  void aMissingUnknownOrEndedSessionIsRejected() throws Exception {
    String list = """
        {"jsonrpc":"2.0","id":1,"method":"tools/list"}""";
    assertThat(http.with("MCP-Protocol-Version", "2025-11-25").post(list).statusCode())
        .isEqualTo(400);
    assertThat(http.with("Mcp-Session-Id", "guessed").post(list).statusCode()).isEqualTo(404);

    Http session = begin("2025-11-25");
    assertThat(session.with("MCP-Protocol-Version", "1999-01-01").post(list).statusCode())
        .isEqualTo(400);
    assertThat(session.send("DELETE").statusCode()).isEqualTo(204);
    assertThat(session.post(list).statusCode()).isEqualTo(404);
    assertThat(session.send("GET").statusCode()).isEqualTo(404);
  }

  @Test
  void batchesAreAcceptedOnlyIn20250326() throws Exception {
    String batch = """
        [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]""";
    assertThat(Http.json(begin("2025-03-26").post(batch)).elements()).hasSize(2);
    HttpResponse<String> refused = begin("2025-11-25").post(batch);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("-32600");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[]; -32600",
        "[[]]; [-32600]",
        "[5,{'jsonrpc':'2.0','method':'notifications/unknown'}]; [-32600]",
        "[{'jsonrpc':'2.0','id':1,'method':'ping'},5]; [1,-32600]",
        "[{'jsonrpc':'2.0','id':1,'method':'ping','params':5}]; [-32600]",
        "[{'foo':1},{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':7}}]; [-32600]",
        "[{'jsonrpc':'2.0','id':9,'result':{}}]; ",
        "[{'jsonrpc':'2.0','method':'notifications/unknown'}]; "
      })
  void anInvalidElementOfABatchIsAnswered(String batch, @Nullable String expected)
      throws Exception {
    HttpResponse<String> answer = begin("2025-03-26").post(batch.replace('\'', '"'));
    if (expected == null) {
      assertThat(answer.statusCode()).isEqualTo(202);
      assertThat(answer.body()).isEmpty();
    } else {
      Json json = Http.json(answer);
      assertThat(json.kind() == Json.Kind.ARRAY ? codes(json).toString() : code(json))
          .isEqualTo(expected.replace(",", ", "));
    }
  }

  private static List<String> codes(Json answers) {
    return answers.elements().stream().map(StreamableHttpTest::code).toList();
  }

  /** Returns the code of an error, or the id of a result. */
  private static String code(Json answer) {
    Json error = answer.get("error");
    return String.valueOf(error == null ? answer.get("id") : error.get("code"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/*, text/* | 200",
        "application/json;q=0.5,text/event-stream | 200",
        "*/* | 200",
        "text/*, application/json | 200",
        "TEXT/Event-Stream , Application/JSON | 200",
        "text/* | 406",
        "application/* | 406",
        "application/jsonx, text/event-streams | 406",
        "*/*, text/event-stream;q=0 | 406",
        "application/*;q=0.0, */* | 406"
      })
  void theMediaRangesOfAClientAreHonoured(String accept, int status) throws Exception {
    HttpResponse<String> answer = http.with("Accept", accept).post(initialize("2025-11-25"));
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  @Test
  void invalidHttpRequestsGetTheFittingStatus() throws Exception {
    assertThat(http.post("{\"jsonrpc\":").statusCode()).isEqualTo(400);
    assertThat(http.post("{\"jsonrpc\":").body()).contains("-32700").doesNotContain("\"id\"");
    assertThat(http.post("{\"id\":1}").statusCode()).isEqualTo(400);
    assertThat(http.with("Content-Type", "text/plain").post("{}").statusCode()).isEqualTo(415);
    assertThat(http.with("Accept", "application/json")
            .post(initialize("2025-11-25"))
            .statusCode())
        .isEqualTo(406);
    assertThat(http.with("Origin", "http://evil.example").post("{}").statusCode())
        .isEqualTo(403);
    assertThat(http.at("/other").post("{}").statusCode()).isEqualTo(404);
    assertThat(http.send("PUT").statusCode()).isEqualTo(405);
  }

  @Test
  void aClientOf20241105GetsAStreamAndTheUrlForItsPosts() throws Exception {
    try (Http.Events events = http.listen()) {
      Http.Event first = next(events);
      assertThat(first.fields()).containsEntry("event", "endpoint");
      Http messages = http.at(Objects.requireNonNull(first.fields().get("data")));
      assertThat(messages.post(initialize("2024-11-05")).statusCode()).isEqualTo(202);
      Http.Event answer = next(events);
      assertThat(answer.fields()).containsEntry("event", "message");
      assertThat(answer.json().toString()).contains("2024-11-05");
      messages.post(call(1, "add", "{\"a\":1,\"b\":2}", "{}"));
      assertThat(next(events).json().get("id")).isEqualTo(Json.of(1));
    }
  }

  /** The official Java SDK 2.1.0 sends the revision already in the GET. */
  @Test
  void aClientOf20241105MaySendItsRevisionInTheGet() throws Exception {
    try (Http.Events events = http.with("MCP-Protocol-Version", "2024-11-05").listen()) {
      assertThat(events.status()).isEqualTo(200);
      assertThat(next(events).fields()).containsEntry("event", "endpoint");
    }
    try (Http.Events events = http.with("MCP-Protocol-Version", "2025-06-18").listen()) {
      assertThat(events.status()).isEqualTo(400);
    }
  }

  @Test
  void closingTheServerEndsTheIdleStreams() throws Exception {
    Http session = begin("2025-11-25");
    try (Http.Events events = session.listen()) {
      next(events);
      server.close(Duration.ofSeconds(20));
      assertThat(events.next()).isNull();
    }
  }
}
