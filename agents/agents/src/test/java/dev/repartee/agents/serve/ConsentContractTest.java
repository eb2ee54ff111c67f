package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.AcpClient;
import dev.repartee.acp.types.SelectedPermissionOutcome;
import dev.repartee.acp.types.TextContent;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Question;
import dev.repartee.agents.Team;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Elicitation;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In every protocol, only an unmistakable yes counts as consent. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsentContractTest {
  private static final List<String> NO_CONSENT = List.of(
      "no",
      "No.",
      "No!",
      "no, do not",
      "nope",
      "NO THANKS",
      "deny",
      "denied",
      "stop",
      "abort",
      "decline",
      "false",
      "0",
      "don't",
      "",
      " ",
      "?",
      "What would be deleted?",
      "\u200bno",
      "nein",
      "yes?",
      "yes, but not today",
      "not ok",
      "\u200byes",
      "O\u212a",
      "yes no");

  private static final List<String> NO_CONSENT_JSON = List.of(
      "false",
      "null",
      "0",
      "1",
      "\"no\"",
      "\"\"",
      "[]",
      "[true]",
      "{}",
      "{\"granted\":false}",
      "{\"granted\":\"yes\"}",
      "{\"granted\":null}",
      "{\"action\":\"decline\"}",
      "{\"action\":\"cancel\"}",
      "{\"granted\":false,\"reason\":\"no\"}",
      "{\"granted\":true,\"action\":\"decline\"}",
      "{\"granted\":false,\"granted\":true}",
      "{\"action\":\"decline\",\"action\":\"accept\"}",
      "{\"granted\":true,\"content\":{\"granted\":false}}",
      "{\"granted\":true,\"content\":{\"granted\":\"no\"}}",
      "{\"granted\":true,\"content\":\"no\"}",
      "{\"granted\":true,\"content\":false}",
      "{\"yes\":true}");

  private static final List<String> CONSENT = List.of(
      "yes", " Yes. ", "Y", "OK!", "okay", "approve", "Approved.", "agree", "AGREED", "accept");

  private static final List<String> CONSENT_JSON = List.of(
      "true",
      "\"yes\"",
      "{\"granted\":true}",
      "{\"action\":\"accept\"}",
      "{\"granted\":true,\"action\":\"accept\",\"note\":\"all of them\"}");

  private static final Plan PLAN = Plan.parse("""
      {"name":"clean","steps":[{"name":"ok","approval":"Delete everything?"},
       {"name":"delete","agent":"files","skill":"delete"}]}
      """);

  private final AtomicInteger deleted = new AtomicInteger();

  @AutoClose
  private final Orchestrator orchestrator = Orchestrator.of(Team.of(LocalAgent.named("files")
      .skill("delete", task -> deleted.incrementAndGet())
      .build()));

  private Agent plan() {
    return orchestrator.agent(PLAN);
  }

  /** Starts a run, and answers its question. */
  @FunctionalInterface
  private interface Answering {
    void answer(Json content) throws Exception;
  }

  private void check(Answering answering) throws Exception {
    for (String text : NO_CONSENT) {
      answering.answer(Json.of(text));
      assertThat(deleted).as("after '" + text + "'").hasValue(0);
    }
    for (String json : NO_CONSENT_JSON) {
      answering.answer(Json.parse(json));
      assertThat(deleted).as("after " + json).hasValue(0);
    }
    for (String text : CONSENT) {
      answering.answer(Json.of(text));
      assertThat(deleted.getAndSet(0)).as("after '" + text + "'").isOne();
    }
    for (String json : CONSENT_JSON) {
      answering.answer(Json.parse(json));
      assertThat(deleted.getAndSet(0)).as("after " + json).isOne();
    }
  }

  @Test
  void onlyAnUnmistakableYesIsConsent() {
    assertThat(NO_CONSENT).noneMatch(text -> Consent.of(text) == Consent.YES);
    assertThat(NO_CONSENT_JSON).noneMatch(json -> Consent.of(Json.parse(json)) == Consent.YES);
    assertThat(CONSENT).allMatch(text -> Consent.of(text) == Consent.YES);
    assertThat(Consent.of(".".repeat(4 << 20) + "yes")).isEqualTo(Consent.UNCLEAR); // not in hours
    assertThat(CONSENT_JSON).allMatch(json -> Consent.of(Json.parse(json)) == Consent.YES);
  }

  @Test
  void anAnswerWithAnUnclearConsentFillsNoForm() {
    Question question = new Question("t", "a", "Name?", Json.parse("""
        {"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}"""));
    List<String> unclear = List.of(
        "{\"granted\":\"no\",\"name\":\"x\"}",
        "{\"action\":\"reject\",\"name\":\"x\"}",
        "{\"granted\":false,\"granted\":true,\"name\":\"x\"}",
        "{\"granted\":true,\"content\":{\"granted\":false,\"name\":\"x\"}}");
    for (String text : unclear) {
      assertThat(Answers.of(question, Json.parse(text))).as(text).isNull();
      assertThat(Answers.of(question, Json.of(text))).as("text " + text).isNull();
    }
    String refusal = "{\"granted\":false,\"name\":\"x\"}";
    assertThat(Answers.of(question, Json.of(refusal)).granted()).isFalse();
    String values = "{\"name\":\"no\",\"age\":3}";
    assertThat(Answers.of(question, Json.of(values))).isEqualTo(Answer.agreed(Json.parse(values)));
    Json accepted = Json.parse("{\"action\":\"accept\",\"content\":" + values + "}");
    assertThat(Answers.of(question, accepted)).isEqualTo(Answer.agreed(Json.parse(values)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"object\",\"properties\":{}}",
        "{\"type\":\"object\",\"properties\":{ }}",
        "{\"type\":\"object\",\"properties\":null}",
        "{\"type\":\"object\",\"properties\":[]}",
        "{\"type\":\"object\"}",
        "{}",
        "true"
      })
  void aFormWithoutFieldsNeedsConsent(String schema) {
    Question question = new Question("t", "a", "Delete all?", Json.parse(schema));
    for (String unclear : List.of("{}", "{\"decision\":\"no\"}", "\"{}\"", "\"What?\"")) {
      assertThat(Answers.of(question, Json.parse(unclear))).as(unclear).isNull();
    }
    assertThat(Answers.of(question, Json.of("yes")).granted()).isTrue();
    assertThat(Answers.again(question)).contains("Answer with yes or no.");
  }

  @Test
  void a2a() throws Exception {
    try (Server server = AgentServers.a2a(plan(), "1").listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0")) {
      check(content -> {
        Task asked = (Task) client.send(Message.user("go"));
        String text = content.string();
        Part part = text == null ? Part.data(content) : Part.text(text.isEmpty() ? " " : text);
        try {
          client.send(Message.of(Role.USER, part).continuing(asked));
        } catch (RpcException e) {
          // The protocol has no part with the data null.
        }
      });
    }
  }

  @Test
  void acpRuns() throws Exception {
    try (Server server =
            Repartee.listen("tcp://127.0.0.1:0", AgentServers.acpRuns(plan()).service());
        Peer client = Repartee.connect(server.endpoint())) {
      check(content -> {
        Json run = runs(
            client,
            "runs/create",
            Map.of("agent_name", "clean", "input", List.of(part("text/plain", "go"))));
        String text = content.string();
        Object answer =
            text == null ? part("application/json", content.toString()) : part("text/plain", text);
        Json end = runs(
            client,
            "runs/resume",
            Map.of("run_id", run.get("run_id"), "await_resume", Map.of("message", answer)));
        if (end.string("status").equals("awaiting")) {
          runs(client, "runs/cancel", Map.of("run_id", run.get("run_id")));
        }
      });
    }
  }

  private static Json runs(Peer client, String method, Map<String, Object> params) {
    return client.request(method).params((Object) params).call(Json.class);
  }

  private static Map<String, Object> part(String type, String content) {
    return Map.of(
        "role", "user", "parts", List.of(Map.of("content_type", type, "content", content)));
  }

  @Test
  void jsonRpc() throws Exception {
    Queue<Json> answers = new ConcurrentLinkedQueue<>();
    Service human =
        Service.builder().method("agent.ask", call -> answers.remove()).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(plan()));
        Peer client = Repartee.connect(server.endpoint(), human, Options.DEFAULT)) {
      check(content -> {
        answers.add(content);
        client.request("clean").send(Json.class).handle((json, failure) -> null).get();
      });
    }
  }

  @Test
  void mcp() throws Exception {
    Queue<Elicitation.Answer> answers = new ConcurrentLinkedQueue<>();
    try (Server server = AgentServers.mcp(plan(), "1").listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.builder("t", "1")
            .onElicitation(question -> answers.remove())
            .connect(server.endpoint().toString())) {
      answers.add(new Elicitation.Answer("accept", Json.EMPTY_OBJECT));
      client.call("clean", Map.of());
      assertThat(deleted.getAndSet(0)).isOne();
      answers.add(new Elicitation.Answer("accept", Json.parse("{\"granted\":false}")));
      client.call("clean", Map.of());
      assertThat(deleted).hasValue(0);
      for (String action : NO_CONSENT) {
        answers.add(new Elicitation.Answer(action, null));
        try {
          client.call("clean", Map.of());
        } catch (RuntimeException e) {
          // The server refuses an action that the protocol does not have.
        }
        assertThat(deleted).as("after the action '" + action + "'").hasValue(0);
      }
    }
  }

  @Test
  void acp() throws Exception {
    Queue<String> options = new ConcurrentLinkedQueue<>();
    try (Server server = AgentServers.acp(plan(), "1")
            .listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        AcpClient client = AcpClient.builder("t", "1")
            .permissions(question -> new SelectedPermissionOutcome(options.remove()))
            .connect(server.endpoint().toString())) {
      var session = client.newSession("/");
      for (String option : NO_CONSENT) {
        options.add(option);
        session.promptAsync(List.of(new TextContent("go")), update -> {}).get();
        assertThat(deleted).as("after the option '" + option + "'").hasValue(0);
      }
      options.add("allow");
      session.promptAsync(List.of(new TextContent("go")), update -> {}).get();
      assertThat(deleted).hasValue(1);
    }
  }

  @Test
  void anUnclearAnswerIsAskedForThreeTimesAndThenRefuses() throws Exception {
    try (Server server = AgentServers.a2a(plan(), "1").listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0")) {
      Task asked = (Task) client.send(Message.user("go"));
      Task again = (Task) client.send(Message.user("What?").continuing(asked));
      assertThat(again.state()).isEqualTo(TaskState.INPUT_REQUIRED);
      assertThat(again.status().message().text())
          .isEqualTo("The answer was not clear. Answer with yes or no. Delete everything?");
      client.send(Message.user("Hm").continuing(asked));
      Task refused = (Task) client.send(Message.user("Well").continuing(asked));
      assertThat(refused.state()).isEqualTo(TaskState.FAILED);
      assertThat(refused.status().message().text()).contains("asked 3 times");
      assertThat(deleted).hasValue(0);

      Task second = (Task) client.send(Message.user("go"));
      client.send(Message.user("What?").continuing(second));
      assertThat(((Task) client.send(Message.user("yes").continuing(second))).state())
          .isEqualTo(TaskState.COMPLETED);
      assertThat(deleted).hasValue(1);
    }
  }
}
