package dev.repartee.acp.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The form of JSON-RPC. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunMethodsTest {
  private static final List<Map<String, Object>> INPUT =
      List.of(Map.of("role", "user", "parts", List.of(Map.of("content", "hi"))));

  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private RunServer runs;
  private Server server;

  @BeforeEach
  void create() {
    runs = RestTest.runs(released);
  }

  @AfterEach
  void close() {
    released.complete(null);
    server.close();
  }

  private Peer connect() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", runs.service());
    return Repartee.connect(server.endpoint());
  }

  @Test
  void overHttpTheEventsOfARunAreServerSentEventsThatEndWithItsAnswer() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", runs.service());
    HttpRequest request = HttpRequest.newBuilder(
            URI.create(server.endpoint().bare().toString()))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .POST(HttpRequest.BodyPublishers.ofString("""
            {"jsonrpc":"2.0","id":1,"method":"runs/create","params":{"agent_name":"echo",\
            "input":%s}}""".formatted(Json.of(INPUT))))
        .build();

    List<Json> messages = HttpClient.newHttpClient()
        .send(request, BodyHandlers.ofLines())
        .body()
        .filter(each -> each.startsWith("data:"))
        .map(each -> Json.parse(each.substring("data:".length())))
        .toList();

    assertThat(messages.subList(0, 7))
        .allMatch(each -> each.get("method").equals(Json.of("runs/event")))
        .extracting(each -> each.get("params").get("event").get("type").as(String.class))
        .containsExactly(
            "run.created",
            "run.in-progress",
            "message.created",
            "message.part",
            "message.part",
            "message.completed",
            "run.completed");
    assertThat(messages.get(7).get("result").get("status")).isEqualTo(Json.of("completed"));
    assertThat(messages).hasSize(8);
  }

  @Test
  void aRunThatAwaitsIsResumed() throws Exception {
    try (Peer peer = connect()) {
      Run waiting = peer.request("runs/create")
          .params(Map.of("agent_name", "ask", "input", INPUT))
          .call(Run.class);
      assertThat(waiting.status()).isEqualTo("awaiting");

      Run end = peer.request("runs/resume")
          .params(Map.of(
              "run_id", waiting.runId(), "await_resume", AwaitRequest.of(RunMessage.user("Ann"))))
          .call(Run.class);

      assertThat(end.output().get(1).text()).isEqualTo("hello Ann");
      assertThat(
              peer.request("runs/get").params(Map.of("run_id", waiting.runId())).call(Run.class))
          .isEqualTo(end);
    }
  }

  private static Map<String, Object> answer(String id, String text) {
    return Map.of("run_id", id, "await_resume", AwaitRequest.of(RunMessage.user(text)));
  }

  private static RunMessage question(String text) {
    return RunMessage.of("agent/ask", List.of(MessagePart.text(text)));
  }

  @Test
  void aQuestionForACallThatHasEndedGetsNoAnswerUntilAClientGetsTheRun() throws Exception {
    RunServer asking = RunServer.builder()
        .agent(AgentManifest.of("ask", "Asks twice"), run -> {
          run.await(question("first"));
          released.join();
          run.send(run.await(question("second")).text());
        })
        .build();
    runs = asking;
    try (Peer peer = connect()) {
      String id = peer.request("runs/create")
          .params(Map.of("agent_name", "ask", "input", INPUT))
          .call(Run.class)
          .runId();
      peer.request("runs/resume").params(answer(id, "yes")).send(Run.class).cancel(true);
      peer.call("agents/list", Json.class); // after the cancellation, on the same connection
      released.complete(null);
      ActiveRun run = asking.find(id);
      while (!run.run().status().equals(Run.AWAITING)) {
        Thread.onSpinWait();
      }

      assertThatThrownBy(
              () -> peer.request("runs/resume").params(answer(id, "yes")).call(Run.class))
          .hasMessageContaining("get the run to see the question");
      Run seen = peer.request("runs/get").params(Map.of("run_id", id)).call(Run.class);
      assertThat(seen.awaitRequest().orElseThrow().message().text()).isEqualTo("second");
      Run end = peer.request("runs/resume").params(answer(id, "no")).call(Run.class);
      assertThat(end.output().get(0).text()).isEqualTo("no");
    }
  }

  @Test
  void aRunIsCancelled() throws Exception {
    try (Peer peer = connect()) {
      Run waiting = peer.request("runs/create")
          .params(Map.of("agent_name", "ask", "input", INPUT))
          .call(Run.class);

      Map<String, String> id = Map.of("run_id", waiting.runId());
      assertThat(peer.request("runs/cancel").params(id).call(Run.class).status())
          .isIn("cancelling", "cancelled");
      while (!peer.request("runs/get").params(id).call(Run.class).hasEnded()) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(() -> peer.request("runs/cancel").params(id).call(Run.class))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32600");
    }
  }

  @Test
  void agentsAreListedAndUnknownOnesRefused() throws Exception {
    try (Peer peer = connect()) {
      assertThat(peer.call("agents/list", Json.class).get("agents").elements()).hasSize(4);
      assertThatThrownBy(() -> peer.request("runs/create")
              .params(Map.of("agent_name", "none", "input", INPUT))
              .call(Run.class))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32002");
    }
  }
}
