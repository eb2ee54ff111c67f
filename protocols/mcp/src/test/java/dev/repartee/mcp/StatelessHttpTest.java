package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceTemplate;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of 2026-07-28 over HTTP. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StatelessHttpTest {
  private static final String FULL = "\"_meta\":{"
      + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}},"
      + "\"progressToken\":\"p\"}";

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private McpServer mcp;
  private Server server;
  private Http http;

  @BeforeEach
  void listen() throws Exception {
    mcp = TestServer.builder()
        .tool(Tool.named("hold").description("Waits for ever").handle((call, arguments) -> {
          call.cancellation().onCancel(cancelled::countDown);
          call.progress(1, 2);
          entered.countDown();
          call.cancellation().sleep(Duration.ofMinutes(5));
          return "never";
        }))
        .tool(Tool.named("mirrored")
            .description("Repeats an argument in a header")
            .input(Json.parse("""
                {"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"""))
            .handle((call, arguments) -> String.valueOf(arguments.get("region"))))
        .build();
    server = mcp.listen("http://127.0.0.1:0/mcp");
    http = new Http(server);
  }

  @AfterEach
  void close() {
    server.close(Duration.ofSeconds(1));
  }

  private static String request(String method, String params) {
    return """
        {"jsonrpc":"2.0","id":"x","method":"%s","params":{%s}}""".formatted(method, params);
  }

  private static String call(String tool, String more) {
    return request("tools/call", "\"name\":\"" + tool + "\"," + more + FULL);
  }

  private Http calling(String tool) {
    return http.stateless("tools/call").with("Mcp-Name", tool);
  }

  private static Json error(HttpResponse<String> response) {
    return Objects.requireNonNull(Http.json(response).get("error"), response.body());
  }

  private static void assertRefused(HttpResponse<String> response, int status, int code) {
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(error(response).get("code")).isEqualTo(Json.of(code));
    assertThat(Http.json(response).get("id")).isEqualTo(Json.of("x"));
  }

  @Test
  void discoverDescribesTheServer() throws Exception {
    HttpResponse<String> answer =
        http.stateless("server/discover").post(request("server/discover", FULL));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "\"supportedVersions\":[\"2026-07-28\"]",
            "\"resultType\":\"complete\"",
            "\"ttlMs\":0",
            "\"cacheScope\":\"private\"",
            "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"test\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{}",
        "{\"_meta\":{}}",
        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
        "{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}"
      })
  void aRequestWithoutRequiredMetadataIsRejected(String params) throws Exception {
    assertRefused(http.stateless("server/discover").post("""
        {"jsonrpc":"2.0","id":"x","method":"server/discover","params":%s}\
        """.formatted(params)), 400, -32602);
  }

  @Test
  void headersThatDifferFromTheBodyAreRejected() throws Exception {
    String list = request("tools/list", FULL);
    Http good = http.stateless("tools/list");
    assertThat(good.post(list).statusCode()).isEqualTo(200);
    assertRefused(good.with("Mcp-Method", null).post(list), 400, -32020);
    assertRefused(good.with("Mcp-Method", "TOOLS/LIST").post(list), 400, -32020);
    assertRefused(good.with("MCP-Protocol-Version", null).post(list), 400, -32020);
    assertRefused(good.with("MCP-Protocol-Version", "2025-11-25").post(list), 400, -32020);
    assertRefused(http.stateless("tools/call").post(call("add", "")), 400, -32020);
    assertRefused(calling("other").post(call("add", "")), 400, -32020);
    assertThat(calling("=?base64?YWRk?=").post(call("add", "")).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "north,north,200",
    "north,south,400",
    "north,=?base64?bm9ydGg=?=,200",
    "north,=?base64?bm9ydGg?=,400",
    "north,=?base64?bm9!ydGg=?=,400",
    "=?base64?x,=?base64?x,200",
    "\u00fc,=?base64?w7w=?=,200",
    "\ufffd,=?base64?77+9?=,200",
    "\ufffd,=?base64?/w==?=,400",
    "\ufffd\ufffd\ufffd,=?base64?7aCA?=,400",
    "north,,400",
    ",north,400"
  })
  void anArgumentIsMirroredInItsHeader(String argument, String header, int status)
      throws Exception {
    String arguments = argument == null ? "{}" : "{\"region\":" + Json.of(argument) + "}";
    HttpResponse<String> answer = calling("mirrored")
        .with("Mcp-Param-Region", header)
        .post(call("mirrored", "\"arguments\":" + arguments + ","));
    assertThat(answer.statusCode()).isEqualTo(status);
    if (status == 400) {
      assertRefused(answer, 400, -32020);
    }
  }

  @Test
  void anUnsupportedRevisionIsAnsweredWithTheSupportedOnes() throws Exception {
    HttpResponse<String> answer = http.stateless("tools/list")
        .with("MCP-Protocol-Version", "2099-01-01")
        .post(request("tools/list", FULL.replace("2026-07-28", "2099-01-01")));
    assertRefused(answer, 400, -32022);
    assertThat(String.valueOf(error(answer).get("data")))
        .isEqualTo("{\"supported\":[\"2026-07-28\"],\"requested\":\"2099-01-01\"}");
  }

  @ParameterizedTest
  @CsvSource({"ping", "initialize", "logging/setLevel", "resources/subscribe", "no/such"})
  void aMethodThatThisRevisionDoesNotHaveIsNotFound(String method) throws Exception {
    assertRefused(http.stateless(method).post(request(method, FULL)), 404, -32601);
  }

  @Test
  void theErrorForAMissingResourceNamesIt() throws Exception {
    HttpResponse<String> answer = http.stateless("resources/read")
        .with("Mcp-Name", "test://none")
        .post(request("resources/read", "\"uri\":\"test://none\"," + FULL));
    assertRefused(answer, 200, -32602);
    assertThat(String.valueOf(error(answer).get("data"))).isEqualTo("{\"uri\":\"test://none\"}");
  }

  @Test
  void aUriThatIsTooLongIsRejected() throws Exception {
    String uri = "test://item/" + "x".repeat(UriTemplate.MAX_URI);
    Server other = mcp.listen("mem:long");
    try (Peer client = Repartee.connect("mem:long")) {
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> client
              .request("resources/read")
              .params(Json.parse("{\"uri\":\"" + uri + "\"," + FULL + "}"))
              .call(Json.class))
          .withMessageContaining("uri: 8192 characters at most");
    } finally {
      other.close();
    }
  }

  @Test
  void aCallThatNeedsMoreIsAnsweredSoAndRunAgainWithWhatTheClientTells() throws Exception {
    HttpResponse<String> first = calling("greet").post(call("greet", ""));
    Json result = Objects.requireNonNull(Http.json(first).get("result"));
    assertThat(result.get("resultType")).isEqualTo(Json.of("input_required"));
    assertThat(String.valueOf(result.get("inputRequests")))
        .startsWith("{\"name\":{\"method\":\"elicitation/create\"");
    String answer =
        "\"inputResponses\":{\"name\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}},"
            + "\"requestState\":";

    HttpResponse<String> second =
        calling("greet").post(call("greet", answer + result.get("requestState") + ","));
    assertThat(second.body()).contains("Hello, ").contains("Ann", "\"resultType\":\"complete\"");

    String state = Objects.requireNonNull(result.get("requestState")).as(String.class);
    HttpResponse<String> tampered =
        calling("greet").post(call("greet", answer + Json.of("A" + state) + ","));
    assertRefused(tampered, 200, -32602);
  }

  @Test
  void anAnswerOfAnEarlierRoundIsNotReplacedInALaterOne() throws Exception {
    mcp.tools().add(paying());
    String amount = "\"amount\":{\"action\":\"accept\",\"content\":{\"n\":%d}}";
    String approve = "\"approve\":{\"action\":\"accept\",\"content\":{\"y\":true}}";

    // Answers to questions that were not asked yet are ignored.
    Json first = round(null, amount.formatted(5) + "," + approve);
    assertThat(String.valueOf(first.get("inputRequests"))).contains("How much?");
    Json second = round(first, amount.formatted(10) + "," + approve);
    assertThat(String.valueOf(second.get("inputRequests"))).contains("Pay 10?");
    Json third = round(second, approve + "," + amount.formatted(1_000_000));
    assertThat(third.toString()).contains("paid 10; asked to approve 10");
  }

  private static Tool paying() {
    Json number = Json.parse("""
        {"type":"object","properties":{"n":{"type":"integer"}}}""");
    return Tool.named("pay").description("Pays").handle((call, arguments) -> {
      Json amount =
          call.elicit("amount", Elicitation.form("How much?", number)).content().get("n");
      Json asked = call.once("log", () -> "asked to approve " + amount);
      call.elicit("approve", Elicitation.form("Pay " + amount + "?", number));
      return "paid " + amount + "; " + asked.as(String.class);
    });
  }

  /** Sends the next round of a call of {@code pay} with answers. */
  private Json round(@Nullable Json last, String answers) throws Exception {
    String state = last == null ? "" : "\"requestState\":" + last.get("requestState") + ",";
    HttpResponse<String> answer =
        calling("pay").post(call("pay", "\"inputResponses\":{" + answers + "}," + state));
    return Objects.requireNonNull(Http.json(answer).get("result"), answer.body());
  }

  @Test
  void aUserWhoDeclinesToVisitAPageMakesAnExplainedFailure() throws Exception {
    mcp.tools().add(Tool.named("visit").description("Visits").handle((call, arguments) -> {
      call.requireUrlElicitation(Elicitation.url("Pay here", "https://pay.example/7", "p7"));
      return "visited";
    }));
    String capable =
        call("visit", "%s").replace("{\"elicitation\":{}}", "{\"elicitation\":{\"url\":{}}}");
    Json first = Objects.requireNonNull(
        Http.json(calling("visit").post(capable.formatted(""))).get("result"));
    for (String action : new String[] {"accept", "decline"}) {
      String answer = calling("visit")
          .post(capable.formatted("\"inputResponses\":{\"p7\":{\"action\":\"" + action
              + "\"}},\"requestState\":" + first.get("requestState") + ","))
          .body();
      assertThat(answer).contains(action.equals("accept") ? "visited" : "did not agree");
    }
  }

  @Test
  void aRequestStateIsIgnoredByMethodsWithoutRounds() throws Exception {
    String deep = "[".repeat(480) + "]".repeat(480);
    HttpResponse<String> answer = http.stateless("tools/list")
        .post(request("tools/list", "\"requestState\":\"x\",\"a\":" + deep + "," + FULL));
    assertThat(answer.body()).contains("\"tools\":[");
  }

  @Test
  void theErrorForAMissingCapabilityNamesIt() throws Exception {
    HttpResponse<String> answer =
        calling("greet").post(call("greet", "").replace("{\"elicitation\":{}}", "{}"));
    assertRefused(answer, 400, -32021);
    assertThat(String.valueOf(error(answer).get("data")))
        .isEqualTo("{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}");
  }

  @Test
  void aClientThatDisconnectsCancelsItsCall() throws Exception {
    try (Http.Events events = calling("hold").open(call("hold", ""))) {
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/progress", "\"progressToken\":\"p\"");
      entered.await();
    }
    cancelled.await();
  }

  @Test
  void aSubscriptionReportsOnlyTheRequestedChanges() throws Exception {
    String listen = request(
        "subscriptions/listen",
        "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"test://one\"]},"
            + FULL);
    String id = "\"io.modelcontextprotocol/subscriptionId\":\"x\"";
    try (Http.Events events = http.stateless("subscriptions/listen").open(listen)) {
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/subscriptions/acknowledged", id);
      mcp.prompts().changed();
      mcp.updated("test://other");
      mcp.tools().changed();
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/tools/list_changed", id);
      mcp.updated("test://one");
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/resources/updated", "test://one", id);
      server.close(Duration.ofSeconds(20));
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("\"result\":", id);
      assertThat(events.next()).isNull();
    }
  }

  @Test
  void resourcesAndTemplatesAreAddedAndRemoved() throws Exception {
    Resource two = Resource.of("test://two", "two", "The second", "text/plain");
    mcp.resources().add(new ServedResource(two, call -> "This is two."));
    mcp.templates()
        .add(new ServedTemplate(
            ResourceTemplate.of("test://box/{id}", "box", "A box", "text/plain"),
            (call, uri, variables) -> "Box " + variables.get("id"),
            Map.of()));
    assertThat(read("test://two")).contains("This is two.");
    assertThat(read("test://box/7")).contains("Box 7");
    assertThat(mcp.resources().remove("test://two")).isTrue();
    assertThat(mcp.templates().remove("test://box/{id}")).isTrue();
    assertThat(mcp.templates().remove("test://box/{id}")).isFalse();
    assertThat(read("test://two")).contains("-32602");
    assertThat(read("test://box/7")).contains("-32602");
  }

  private String read(String uri) throws Exception {
    return http.stateless("resources/read")
        .with("Mcp-Name", uri)
        .post(request("resources/read", "\"uri\":\"" + uri + "\"," + FULL))
        .body();
  }

  @Test
  void aClientThatAcceptsNoEventStreamCannotListen() throws Exception {
    String listen = request("subscriptions/listen", "\"notifications\":{}," + FULL);
    Http client = http.stateless("subscriptions/listen").with("Accept", "*/*");
    assertThat(client.post(listen).statusCode()).isEqualTo(406);
  }

  @Test
  void aNumberThatCannotBeComparedIsAMismatch() throws Exception {
    mcp.tools()
        .add(Tool.named("counted").input(Json.parse("""
            {"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}\
            """)).handle((call, arguments) -> "counted"));
    Http client = calling("counted").with("Mcp-Param-N", "1000");
    String good = call("counted", "\"arguments\":{\"n\":1e3},");
    assertThat(client.post(good).statusCode()).isEqualTo(200);
    assertRefused(client.post(good.replace("1e3", "1e2147483648")), 400, -32020);
  }

  @Test
  void getAndDeleteAreNotAllowed() throws Exception {
    Http stateless = http.with("MCP-Protocol-Version", "2026-07-28");
    assertThat(stateless.send("GET").statusCode()).isEqualTo(405);
    assertThat(stateless.send("DELETE").statusCode()).isEqualTo(405);
  }

  @Test
  void aNotificationIsAcceptedAndABatchIsNot() throws Exception {
    Http stateless = http.stateless("notifications/cancelled");
    HttpResponse<String> taken = stateless.post("""
        {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}""");
    assertThat(taken.statusCode()).isEqualTo(202);
    HttpResponse<String> batch = stateless.post("[" + request("tools/list", FULL) + "]");
    assertThat(batch.statusCode()).isEqualTo(400);
    assertThat(batch.body()).contains("-32600");
  }
}
