package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.transport.ChannelInfo;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members of a message besides those of JSON-RPC. */
@Timeout(60)
class MembersTest {
  private static final Service SERVICE = Service.builder()
      .method("origin", call -> String.valueOf(call.member("origin")))
      .method("params", Call::params)
      .build();

  private static final Options READING = Options.builder()
      .dialect(Dialect.withMembers(Dialect.withMembers(Dialect.PLAIN, "origin"), "tenant"))
      .build();

  private static final FrameResponder RESPONDER =
      FrameResponder.of(SERVICE, READING, new ChannelInfo("test", "", ""));

  private static String respond(FrameResponder responder, String request) throws Exception {
    byte[] reply = responder.respond(request.getBytes(StandardCharsets.UTF_8));
    return reply == null ? "" : new String(reply, StandardCharsets.UTF_8);
  }

  private static String request(String members) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"origin\"" + members + "}";
  }

  private static void assertOrigin(String members, String expected) throws Exception {
    assertThat(Json.parse(respond(RESPONDER, request(members))).get("result"))
        .isEqualTo(Json.of(expected));
  }

  @Test
  void aMemberThatTheDialectNamesIsSeenAndOthersAreSkipped() throws Exception {
    assertOrigin(",\"origin\":\"here\",\"other\":{\"a\":[1]}", "\"here\"");
    assertOrigin(",\"origin\":{\"a\":[1]}", "{\"a\":[1]}");
    assertOrigin(",\"\\u006frigin\":1", "1");
    assertOrigin("", "null");
    assertOrigin(",\"Origin\":1", "null");
  }

  @Test
  void aMemberThatIsTooLongCountsAsAbsentAndTheFirstOfTwoCounts() throws Exception {
    assertOrigin(",\"origin\":\"" + "x".repeat(9000) + "\"", "null");
    assertOrigin(",\"origin\":1,\"origin\":2", "1");
    assertOrigin(",\"origin\":1".repeat(10_000), "1");
    assertOrigin(",\"" + "o".repeat(100_000) + "\":1", "null");
  }

  @Test
  void theMembersCountTowardsTheMemoryOfACall() {
    String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"";
    String members =
        ",\"origin\":\"" + "x".repeat(5000) + "\",\"tenant\":\"" + "y".repeat(5000) + '"';
    int with = OwnedExchanges.of(READING, call + members + "}").node.weight();
    int without = OwnedExchanges.of(READING, call + "}").node.weight();
    assertThat(with - without).isGreaterThanOrEqualTo(10_000);
  }

  @Test
  void eachCallOfABatchHasItsMembers() throws Exception {
    String reply = respond(
        RESPONDER,
        "[" + request(",\"origin\":1") + "," + request(",\"origin\":2") + "," + request("") + "]");
    assertThat(reply).contains("\"result\":\"1\"", "\"result\":\"2\"", "\"result\":\"null\"");
  }

  @Test
  void anotherConnectionThatNamesNoMembersSeesNone() throws Exception {
    FrameResponder plain =
        FrameResponder.of(SERVICE, Options.DEFAULT, new ChannelInfo("test", "", ""));
    assertOrigin(",\"origin\":1", "1");
    assertThat(respond(plain, request(",\"origin\":1"))).contains("\"result\":\"null\"");
  }

  @Test
  void aCallAndItsLayersSetMembersAndSeeTheId() throws Exception {
    List<Id> ids = new CopyOnWriteArrayList<>();
    Options client = Options.builder()
        .callLayer((call, next) -> {
          if (call.member("origin") == null) {
            call.requestMember("origin", Json.of("layer"));
          }
          call.onId(ids::add);
          return next.handle(call);
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE, READING);
        Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, client)) {
      assertThat(peer.call("origin", String.class)).isEqualTo("\"layer\"");
      assertThat(peer.request("origin").member("origin", Json.of("call")).call(String.class))
          .isEqualTo("\"call\"");
      Batch batch = peer.batch();
      CompletableFuture<String> batched = batch.callAsync("origin", String.class);
      batch.send();
      assertThat(batched.get(30, TimeUnit.SECONDS)).isEqualTo("\"layer\"");
      assertThat(peer.request("params").arg("a", 1).call(Json.class))
          .isEqualTo(Json.parse("{\"a\":1}"));
      assertThat(ids).containsExactly(Id.of(1), Id.of(2), Id.of(3), Id.of(4));
    }
  }

  @Test
  void theMembersOfJsonRpcAreNoAdditionalOnes() throws Exception {
    for (String name : List.of("jsonrpc", "id", "method", "params", "result", "error")) {
      assertThatThrownBy(() -> Dialect.withMembers(Dialect.PLAIN, name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(name);
    }
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE);
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      CallBuilder call = peer.request("origin");
      assertThatThrownBy(() -> call.member("id", Json.NULL))
          .isInstanceOf(IllegalArgumentException.class);
      for (int i = 0; i < 16; i++) {
        call.member("m" + i, Json.NULL);
      }
      assertThatThrownBy(() -> call.member("more", Json.NULL))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
