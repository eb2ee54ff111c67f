package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.runs.AgentManifest;
import dev.repartee.acp.runs.RunServer;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.trace.Trace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plan that other programs call, over MCP and JSON-RPC. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServedPlanTest {
  private static final AgentConnector CONNECTOR =
      new AgentConnector(Options.DEFAULT, Duration.ofSeconds(90));

  private static final String PLAN = """
      name: clean
      description: Deletes files
      input: {type: object, properties: {what: {type: string}}}
      steps:
        - {name: count, agent: files, skill: count}
        - {name: first, approval: "Delete ${steps.count.output} files of ${input.what}?"}
        - {name: second, approval: "Really?"}
        - {name: delete, agent: files, skill: delete, input: "${input.what}"}
      """;

  private static final Answer YES = Answer.agreed(Json.parse("{\"answer\":\"yes\"}"));

  private final Queue<String> done = new ConcurrentLinkedQueue<>();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private final Agent files = LocalAgent.named("files")
      .skill("count", task -> {
        done.add("count");
        return 3;
      })
      .skill("delete", task -> {
        done.add("delete " + task.input());
        return Map.of("deleted", 3);
      })
      .skill("hang", task -> {
        hanging.countDown();
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          interrupted.countDown();
        }
        return null;
      })
      .skill("broken", task -> {
        throw new IllegalStateException("secret");
      })
      .build();

  @AutoClose
  private final Orchestrator orchestrator = Orchestrator.of(Team.of(files));

  private Agent agent(String plan) {
    return orchestrator.agent(Plan.parse(plan));
  }

  @ParameterizedTest
  @CsvSource({"2025-11-25", "2026-07-28"})
  void anApprovalIsAskedOfTheMcpClientAndNoStepIsRepeated(String revision) throws Exception {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    try (Server server = AgentServers.mcp(agent(PLAN), "1").listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .onElicitation(question -> {
              asked.add(question.message());
              return new Elicitation.Answer("accept", Json.EMPTY_OBJECT);
            })
            .connect(server.endpoint().toString())) {
      assertThat(client.call("clean", Map.of("what", "logs")).structured())
          .isEqualTo(Json.parse("{\"deleted\":3}"));
      assertThat(asked).containsExactly("Delete 3 files of logs?", "Really?");
      assertThat(done).containsExactly("count", "delete \"logs\"");
    }
  }

  @ParameterizedTest
  @CsvSource({"2025-11-25", "2026-07-28"})
  void aClientThatCannotAskGetsTheReason(String revision) throws Exception {
    try (Server server = AgentServers.mcp(agent(PLAN), "1").listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.of(revision))
            .connect(server.endpoint().toString())) {
      var result = client.call("clean", Map.of("what", "logs"));
      assertThat(result.isError()).isTrue();
      assertThat(result.content().toString())
          .contains("the step 'first' failed", "was refused: the client cannot ask");
      assertThat(done).containsExactly("count");
    }
  }

  @Test
  void aQuestionOfAStepThatHasEndedIsCancelledAtTheCaller() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    Service human = Service.builder()
        .method("agent.ask", call -> {
          CompletableFuture<Object> answer = new CompletableFuture<>();
          call.cancellation().onCancel(() -> {
            answer.cancel(true);
            cancelled.countDown();
          });
          asked.countDown();
          return answer;
        })
        .build();
    Agent overtaking = LocalAgent.named("overtaking")
        .skill("go", task -> {
          asked.await();
          return "first";
        })
        .build();
    Plan late = Plan.parse("""
        name: late
        steps:
          - race: [{approval: "Sure?"}, {agent: overtaking}]
          - {agent: files, skill: hang}
        """);
    try (Orchestrator both = Orchestrator.of(Team.of(files, overtaking));
        Server server =
            Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(both.agent(late)));
        Peer client = Repartee.connect(server.endpoint(), human, Options.DEFAULT)) {
      var call = client.request("late").send(Json.class);
      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      call.cancel(true);
    }
  }

  @Test
  void anotherOrchestratorUsesTheServedPlanAsAnAgent() throws Exception {
    try (Server mcp = AgentServers.mcp(agent(PLAN), "1").listen("tcp://127.0.0.1:0");
        Server rpc = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(agent(PLAN)));
        Team team = CONNECTOR.team(
            Map.of("mcp", "mcp+" + mcp.endpoint(), "rpc", rpc.endpoint().toString()))) {
      Task task = Task.of("clean", Json.parse("{\"what\":\"all\"}"))
          .withHuman(question -> CompletableFuture.completedFuture(Answer.agreed()));
      for (Agent agent : team.agents()) {
        Queue<Progress> reports = new ConcurrentLinkedQueue<>();
        assertThat(agent.run(task.withProgress(reports::add)).get(60, TimeUnit.SECONDS))
            .isEqualTo(Json.parse("{\"deleted\":3}"));
        // Over MCP, a report that is later than the question of its round belongs to no call and is
        // dropped.
        assertThat(reports.toString()).contains("delete: running");
      }
      assertThat(team.agents()).hasSize(2);
    }
  }

  @Test
  void aPlanIsAnAgentOfTheAgentClientProtocol() throws Exception {
    try (Server acp = AgentServers.acp(agent(PLAN), "1")
            .listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        Agent client = CONNECTOR.connect("acp", "acp+" + acp.endpoint())) {
      Queue<String> asked = new ConcurrentLinkedQueue<>();
      Task task = Task.of("prompt", Json.parse("{\"what\":\"all\"}"));
      assertThat(client
              .run(task.withHuman(question -> {
                asked.add(question.message());
                return CompletableFuture.completedFuture(Answer.agreed());
              }))
              .get(60, TimeUnit.SECONDS))
          .isEqualTo(Json.of("{\"deleted\":3}"));
      assertThat(asked)
          .containsExactly(
              "May 'Delete 3 files of all?' run? Yes chooses 'Allow'.",
              "May 'Really?' run? Yes chooses 'Allow'.");

      CompletableFuture<Json> refused = client.run(task);
      assertThat(Failure.of(failure(refused)).kind()).isEqualTo(Failure.Kind.REFUSED);
    }
  }

  @Test
  void aPlanIsAnAgentOfA2a() throws Exception {
    Queue<String> recorded = new ConcurrentLinkedQueue<>();
    Options traced = Options.builder()
        .trace(Trace.builder().to(entry -> recorded.add(entry.toString())))
        .build();
    try (Server a2a = AgentServers.a2a(agent(PLAN), "1").listen("http://127.0.0.1:0/");
        Agent client = new AgentConnector(traced, Duration.ofSeconds(60))
            .connect("a2a", "a2a+" + a2a.endpoint())) {
      assertThat(client.has("clean")).isTrue();
      Queue<String> asked = new ConcurrentLinkedQueue<>();
      Task task = Task.of("clean", Json.parse("{\"what\":\"all\"}"));
      assertThat(client
              .run(task.withHuman(question -> {
                asked.add(question.message());
                return CompletableFuture.completedFuture(YES);
              }))
              .get(60, TimeUnit.SECONDS))
          .isEqualTo(Json.parse("{\"deleted\":3}"));
      assertThat(asked).containsExactly("Delete 3 files of all?", "Really?");
      assertThat(done).containsExactly("count", "delete \"all\"");
      assertThat(recorded).anyMatch(entry -> entry.contains("SendStreamingMessage"));

      assertThat(Failure.of(failure(client.run(task))).kind()).isEqualTo(Failure.Kind.REFUSED);
    }
  }

  @Test
  void cancellingATaskOfA2aCancelsTheRun() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"agent":"files","skill":"hang"}]}""");
    try (Server a2a = AgentServers.a2a(served, "1").listen("http://127.0.0.1:0/");
        Agent client = CONNECTOR.connect("a2a", "a2a+" + a2a.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theRunsOfTheAgentCommunicationProtocolAreTasks() throws Exception {
    RunServer runs = RunServer.builder()
        .agent(AgentManifest.of("echo", "Repeats"), run -> run.send("You said: " + run.text()))
        .agent(AgentManifest.of("broken", "Fails"), run -> {
          throw new IllegalStateException("secret");
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", runs.service());
        Agent client = CONNECTOR.connect("r", "acp-runs+" + server.endpoint())) {
      assertThat(client.has("echo")).isTrue();
      assertThat(client.run(Task.of("echo", Json.of("hi"))).get(60, TimeUnit.SECONDS))
          .isEqualTo(Json.of("You said: hi"));
      Failure failure = Failure.of(failure(client.run(Task.of("broken", Json.of("hi")))));
      assertThat(failure.kind()).isEqualTo(Failure.Kind.ERROR);
      assertThat(failure.message()).contains("the run ended as failed");
    }
  }

  @Test
  void aPlanIsAnAgentOfTheAgentCommunicationProtocol() throws Exception {
    try (Server runs = Repartee.listen(
            "http://127.0.0.1:0/", AgentServers.acpRuns(agent(PLAN)).service());
        Agent client = CONNECTOR.connect("r", "acp-runs+" + runs.endpoint())) {
      assertThat(client.has("clean")).isTrue();
      Queue<String> asked = new ConcurrentLinkedQueue<>();
      Queue<String> reports = new ConcurrentLinkedQueue<>();
      Task task = Task.of("clean", Json.parse("{\"what\":\"all\"}"));
      assertThat(client
              .run(task.withProgress(report -> reports.add(report.toString()))
                  .withHuman(question -> {
                    asked.add(question.message());
                    return CompletableFuture.completedFuture(YES);
                  }))
              .get(60, TimeUnit.SECONDS))
          .isEqualTo(Json.parse("{\"deleted\":3}"));
      assertThat(asked).containsExactly("Delete 3 files of all?", "Really?");
      assertThat(done).containsExactly("count", "delete \"all\"");
      assertThat(reports).contains("count: running", "awaiting", "completed");

      assertThat(Failure.of(failure(client.run(task))).kind()).isEqualTo(Failure.Kind.REFUSED);
    }
  }

  @ParameterizedTest
  @CsvSource({"text/plain,No,No", "application/json,false,false", "application/json,'\"no\"',no"})
  void aRunWaitsForTheAnswerThatRefusesAnApproval(String type, String content, String shown)
      throws Exception {
    try (Server runs = Repartee.listen(
            "tcp://127.0.0.1:0", AgentServers.acpRuns(agent(PLAN)).service());
        Peer client = Repartee.connect(runs.endpoint())) {
      Json waiting = create(client, "clean", "{\"what\":\"logs\"}");
      assertThat(waiting.get("status")).isEqualTo(Json.of("awaiting"));
      assertThat(waiting.get("await_request").toString()).contains("Delete 3 files of logs?");

      Json end = client
          .request("runs/resume")
          .params(Json.of(Map.of(
              "run_id", waiting.get("run_id"),
              "await_resume", Map.of("message", message(type, content)))))
          .call(Json.class);
      assertThat(end.get("status")).isEqualTo(Json.of("failed"));
      assertThat(end.get("error").toString())
          .contains("the step 'first' failed", "answered '" + shown + "'");
      assertThat(done).containsExactly("count");
    }
  }

  @Test
  void aRunDoesNotWaitForAnAnswerWhoseStepHasEnded() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"approval":"Really?","deadline":"50ms","onFailure":"continue"},
         {"agent":"files","skill":"count"}]}
        """);
    try (Server runs =
            Repartee.listen("tcp://127.0.0.1:0", AgentServers.acpRuns(served).service());
        Peer client = Repartee.connect(runs.endpoint())) {
      Json run = create(client, "p", "1");
      while (!run.get("status").equals(Json.of("completed"))) {
        run = client
            .request("runs/get")
            .params(Json.of(Map.of("run_id", run.get("run_id"))))
            .call(Json.class);
      }
      assertThat(run.get("output").toString()).contains("\"3\"");
    }
  }

  private static Json create(Peer client, String agent, String input) throws Exception {
    return client
        .request("runs/create")
        .params(Json.of(
            Map.of("agent_name", agent, "input", List.of(message("application/json", input)))))
        .call(Json.class);
  }

  private static Map<String, Object> message(String type, String content) {
    return Map.of(
        "role", "user", "parts", List.of(Map.of("content_type", type, "content", content)));
  }

  @Test
  void aFailureOfAServedRunHasItsReasonButNotThatOfCodeInThisProcess() throws Exception {
    Agent served = agent("""
        {"name":"My_Plan","steps":[{"agent":"files","skill":"broken"}]}""");
    try (Server runs =
            Repartee.listen("http://127.0.0.1:0/", AgentServers.acpRuns(served).service());
        Agent client = CONNECTOR.connect("r", "acp-runs+" + runs.endpoint())) {
      Failure failure = Failure.of(failure(client.run(Task.of("my-plan", Json.of("text")))));
      assertThat(failure.kind()).isEqualTo(Failure.Kind.ERROR);
      assertThat(failure.message())
          .contains("the run ended as failed: ", "the agent failed")
          .doesNotContain("secret");
    }
  }

  @Test
  void cancellingARunCancelsTheRunOfThePlan() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"agent":"files","skill":"hang"}]}""");
    try (Server runs =
            Repartee.listen("http://127.0.0.1:0/", AgentServers.acpRuns(served).service());
        Agent client = CONNECTOR.connect("r", "acp-runs+" + runs.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aRunIsCancelledWhenItsIdArrivesAfterTheCancellation() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Json> cancelled = new CompletableFuture<>();
    Service slow = Service.builder()
        .method("agents/list", call -> Map.of("agents", List.of(Map.of("name", "a"))))
        .method("runs/create", Lane.CONCURRENT, call -> {
          called.countDown();
          goOn.await();
          Json session = call.params().get("session_id");
          Map<String, Object> run = Map.of("run_id", "7", "session_id", session);
          call.notify("runs/event", Map.of("run_id", "7", "event", Map.of("run", run)));
          return new CompletableFuture<>().get();
        })
        .method("runs/cancel", Lane.CONCURRENT, call -> cancelled.complete(call.params()))
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", slow);
        Agent client = CONNECTOR.connect("r", "acp-runs+" + server.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      called.await();
      output.cancel(true);
      goOn.countDown();
      assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(Json.parse("{\"run_id\":\"7\"}"));
    }
  }

  @Test
  void cancellingATurnCancelsTheRun() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"agent":"files","skill":"hang"}]}""");
    try (Server acp = AgentServers.acp(served, "1")
            .listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        Agent client = CONNECTOR.connect("acp", "acp+" + acp.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Throwable failure(CompletableFuture<Json> output) throws Exception {
    try {
      throw new AssertionError("unexpected output: " + output.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e;
    }
  }

  @Test
  void cancellingACallCancelsTheRun() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"agent":"files","skill":"hang"}]}""");
    try (Server rpc = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(served));
        Agent client = CONNECTOR.connect("c", rpc.endpoint().toString())) {
      CompletableFuture<Json> output = client.run(Task.of("p", Json.EMPTY_OBJECT));
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theFailureOfCodeInThisProcessIsNotTold() throws Exception {
    Agent served = agent("""
        {"name":"p","steps":[{"agent":"files","skill":"broken"}]}""");
    try (Server rpc = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(served));
        Agent client = CONNECTOR.connect("c", rpc.endpoint().toString())) {
      CompletableFuture<Json> output = client.run(Task.of("p", Json.of("text")));
      try {
        output.get(60, TimeUnit.SECONDS);
        throw new AssertionError("no failure");
      } catch (ExecutionException e) {
        assertThat(Failure.of(e).message()).contains("the agent failed").doesNotContain("secret");
      }
    }
  }
}
