package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules for messages on standard streams. A process is started only where it matters. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StdioTest {
  private static final String META = "\"_meta\":{"
      + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private static String add(int id, String more) {
    return """
        {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"add",\
        "arguments":{"a":%s,"b":1}%s}}""".formatted(id, id, more);
  }

  private static Json at(Json json, String... path) {
    Json value = json;
    for (String name : path) {
      value = Objects.requireNonNull(value.get(name), () -> name + " in " + json);
    }
    return value;
  }

  private static void assertSum(Json answer, int id) {
    assertThat(at(answer, "id")).isEqualTo(Json.of(id));
    assertThat(at(answer, "result", "structuredContent", "sum")).isEqualTo(Json.of(id + 1));
  }

  @Test
  void anInvalidMessageIsAnsweredAndTheNextRequestIsServed() throws Exception {
    try (ServerLines server = ServerLines.ofProcess()) {
      server.begin("2025-11-25").say(add(1, ""));
      assertSum(server.hear(), 1);

      server.say("""
          {"jsonrpc":"2.0","id":2,""");
      Json malformed = server.hear();
      assertThat(at(malformed, "error", "code")).isEqualTo(Json.of(-32700));
      assertThat(malformed.get("id")).isNull();

      server.say("").say("   ").say("""
          {"jsonrpc":"2.0","method":"notifications/unknown"}""");
      server.say(add(3, ""));
      assertSum(server.hear(), 3);
      assertThat(server.end()).isZero();
    }
  }

  @Test
  void aLineOfTenMegabytesIsServed() throws Exception {
    try (ServerLines server = ServerLines.ofProcess()) {
      String text = "x".repeat(10 << 20);
      server.begin("2025-11-25");
      server.say("""
          {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",\
          "arguments":{"text":"%s"}}}""".formatted(text));
      Json answer = at(server.hear(), "result", "content").at(0);
      assertThat(at(Objects.requireNonNull(answer), "text").as(String.class)).hasSize(10 << 20);
      server.say(add(2, ""));
      assertSum(server.hear(), 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-11-05", "2025-06-18", "2025-11-25"})
  void aBatchIsInvalidInARevisionWithoutBatches(String revision) throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.begin(revision).say("[" + add(1, "") + "," + add(2, "") + "]");
      assertThat(at(server.hear(), "error", "code")).isEqualTo(Json.of(-32600));
      server.say(add(3, ""));
      assertThat(at(server.hear(), "id")).isEqualTo(Json.of(3));
    }
  }

  @Test
  void aBatchIsServedIn20250326() throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.begin("2025-03-26").say("[" + add(1, "") + "," + add(2, "") + "]");
      assertThat(server.hear().elements().stream().map(answer -> at(answer, "id")))
          .containsExactlyInAnyOrder(Json.of(1), Json.of(2));
    }
  }

  @Test
  void aRequestOf20260728NeedsNoHandshakeAndMayFollowOne() throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.say(add(1, "," + META));
      Json alone = server.hear();
      assertSum(alone, 1);
      assertThat(at(alone, "result", "resultType")).isEqualTo(Json.of("complete"));

      server.begin("2025-06-18").say(add(2, ""));
      Json inSession = server.hear();
      assertSum(inSession, 2);
      assertThat(at(inSession, "result").get("resultType")).isNull();

      server.say(add(3, "," + META));
      assertThat(at(server.hear(), "result", "resultType")).isEqualTo(Json.of("complete"));
    }
  }

  @Test
  void theErrorForAMissingHandshakeSaysWhatToSend() throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.say(add(1, ""));
      Json error = at(server.hear(), "error");
      assertThat(at(error, "code")).isEqualTo(Json.of(-32600));
      assertThat(at(error, "message").as(String.class)).contains("initialize", "_meta");
      server.say("""
          {"jsonrpc":"2.0","id":2,"method":"ping"}""");
      assertThat(at(server.hear(), "result")).isEqualTo(Json.EMPTY_OBJECT);
    }
  }

  @Test
  void deviationsThatHaveANameAreTolerated() throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.say("""
          {"jsonrpc":"2.0","id":1,"method":"ping","params":null}""");
      assertThat(at(server.hear(), "result")).isEqualTo(Json.EMPTY_OBJECT);
      server.say("{\"id\":2,\"method\":\"ping\"}");
      assertThat(at(server.hear(), "result")).isEqualTo(Json.EMPTY_OBJECT);
    }
  }

  @Test
  void aSubscriptionLastsUntilTheEndOfTheInputWhichEndsTheServer() throws Exception {
    try (ServerLines server = ServerLines.ofProcess()) {
      server.say("""
          {"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{\
          "notifications":{"toolsListChanged":true},%s}}""".formatted(META));
      assertThat(at(server.hear(), "method"))
          .isEqualTo(Json.of("notifications/subscriptions/acknowledged"));
      assertThat(server.end()).isZero();
      assertThat(server.hear().toString())
          .contains(
              "\"io.modelcontextprotocol/subscriptionId\":\"l\"", "\"resultType\":\"complete\"");
    }
  }

  @Test
  void cancellingASubscriptionEndsIt() throws Exception {
    try (ServerLines server = ServerLines.ofConnection()) {
      server.say("""
          {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{\
          "notifications":{},%s}}""".formatted(META));
      server.hear();
      server.say("""
          {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}""");
      server.say(add(2, "," + META));
      assertSum(server.hear(), 2);
    }
  }

  @Test
  void ofFiftyConcurrentCallsHalfAreCancelledAndNoneIsMixedUp() throws Exception {
    try (ServerLines server = ServerLines.ofProcess()) {
      server.begin("2025-11-25");
      for (int id = 1; id <= 50; id++) {
        server.say("""
            {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{\
            "name":"work","arguments":{"endless":%s},\
            "_meta":{"progressToken":"t%s"}}}""".formatted(id, id % 2 == 0, id));
      }
      List<Integer> answered = new ArrayList<>();
      int waiting = 0;
      int reports = 0;
      // Each call reports progress at least twice, an ended call three times. Then the other calls
      // are cancelled.
      while (answered.size() < 25 || waiting < 25) {
        Json message = server.hear();
        if (message.get("method") == null) {
          answered.add(at(message, "id").as(int.class));
          assertThat(at(message, "result").toString()).contains(at(message, "id") + " is done");
        } else {
          reports++;
          int call = Integer.parseInt(
              at(message, "params", "progressToken").as(String.class).substring(1));
          assertThat(answered).doesNotContain(call); // no progress after the end
          int step = at(message, "params", "progress").as(int.class);
          waiting += call % 2 == 0 && step == 2 ? 1 : 0;
        }
      }
      assertThat(reports).isEqualTo(25 * 3 + 25 * 2);
      assertThat(answered).allMatch(id -> id % 2 == 1).doesNotHaveDuplicates();
      for (int id = 2; id <= 50; id += 2) {
        server.say("""
            {"jsonrpc":"2.0","method":"notifications/cancelled","params":{\
            "requestId":%s,"reason":"enough"}}""".formatted(id));
      }
      assertThat(nothingRuns(server)).isTrue();
      assertThat(server.end()).isZero();
    }
  }

  /**
   * Polls until all calls have ended, because cancelled handlers end late. Expects no other message
   * meanwhile.
   */
  private static boolean nothingRuns(ServerLines server) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int id = 1_000; System.nanoTime() < end; id++) {
      server.say("""
          {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"running"}}\
          """.formatted(id));
      Json answer = server.hear();
      assertThat(answer.get("id")).isEqualTo(Json.of(id));
      if (at(Objects.requireNonNull(at(answer, "result", "content").at(0)), "text")
          .equals(Json.of("0"))) {
        return true;
      }
    }
    return false;
  }
}
