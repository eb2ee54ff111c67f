package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.Message;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Human;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Elicitation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The questions of agents that work for several callers at the same time. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuestionsTest {
  private static final AgentConnector CONNECTOR =
      new AgentConnector(Options.DEFAULT, Duration.ofSeconds(90));

  /** The questions to each caller. */
  private final Queue<String> toAlice = new ConcurrentLinkedQueue<>();

  private final Queue<String> toBob = new ConcurrentLinkedQueue<>();

  /** A service that deletes accounts. Each call asks while the given number of calls run. */
  private static final class Accounts {
    final CountDownLatch running;
    final CountDownLatch cancelled = new CountDownLatch(1);
    private final CountDownLatch asked;
    final Queue<Json> answers = new ConcurrentLinkedQueue<>();

    Accounts(int calls) {
      this(calls, calls);
    }

    Accounts(int calls, int questions) {
      running = new CountDownLatch(calls);
      asked = new CountDownLatch(questions);
    }

    Service service() {
      return Service.builder()
          .method("delete", call -> delete(call, null))
          .method("deleteNamed", call -> delete(call, call.id().json()))
          .method("hang", call -> {
            call.cancellation().onCancel(cancelled::countDown);
            running.countDown();
            return new CompletableFuture<>();
          })
          .build();
    }

    private Object delete(Call call, @Nullable Json id) throws Exception {
      running.countDown();
      running.await();
      String name = call.params().elements().get(0).as(String.class);
      Map<String, Object> params = new LinkedHashMap<>();
      params.put("message", "Delete the account of " + name + "?");
      if (id != null) {
        params.put("id", id);
      }
      Json answer = call.peer().request("agent.ask").params((Object) params).call(Json.class);
      answers.add(answer);
      asked.countDown();
      asked.await();
      return name + ": " + answer.get("granted");
    }
  }

  private static Plan plan(String skill) {
    return Plan.parse("""
        {"name":"remove","agents":{},"input":{"type":"string"},
         "steps":[{"name":"d","agent":"w","skill":"%s","input":["${input}"]}]}
        """.formatted(skill));
  }

  private static Task task(String name, Queue<String> asked) {
    Human human = question -> {
      asked.add(question.message());
      return CompletableFuture.completedFuture(Answer.agreed());
    };
    return Task.of("remove", Json.of(name)).withHuman(human);
  }

  /** Runs a plan of an agent for alice and for bob at the same time, and returns both results. */
  private List<Json> runForBoth(String agent, Plan plan) throws Exception {
    try (Team team = CONNECTOR.team(Map.of("w", agent));
        Orchestrator orchestrator = Orchestrator.of(team)) {
      Agent served = orchestrator.agent(plan);
      CompletableFuture<Json> first = served.run(task("alice", toAlice));
      CompletableFuture<Json> second = served.run(task("bob", toBob));
      return List.of(get(first), get(second));
    }
  }

  private static Json get(CompletableFuture<Json> output) throws Exception {
    return output.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aQuestionWithoutTheIdOfItsCallReachesNoneOfTwoCallers() throws Exception {
    Accounts accounts = new Accounts(2);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", accounts.service())) {
      // A refused question adds its reason to the failure of a step, and this agent does not fail.
      assertThat(runForBoth(server.endpoint().toString(), plan("delete")))
          .containsExactly(Json.of("alice: false"), Json.of("bob: false"));
      assertThat(toAlice).isEmpty();
      assertThat(toBob).isEmpty();
      assertThat(accounts.answers)
          .allMatch(answer -> answer
              .string("reason")
              .matches(".*works for several runs.*add the member 'id' to agent.ask.*"));
    }
  }

  @Test
  void aQuestionWithTheIdOfItsCallReachesTheCallerOfItsRunOnly() throws Exception {
    Accounts accounts = new Accounts(2, 1);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", accounts.service());
        Team team = CONNECTOR.team(Map.of("w", server.endpoint().toString()));
        Orchestrator orchestrator = Orchestrator.of(team);
        Server a2a = AgentServers.a2a(orchestrator.agent(plan("deleteNamed")), "1")
            .listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(a2a.endpoint().toString(), "1.0")) {
      CompletableFuture<dev.repartee.a2a.types.Task> first = CompletableFuture.supplyAsync(
          () -> send(client, Message.user("alice")), work -> new Thread(work).start());
      dev.repartee.a2a.types.Task bob = send(client, Message.user("bob"));
      dev.repartee.a2a.types.Task alice = first.get(60, TimeUnit.SECONDS);
      assertThat(alice.status().message().text()).isEqualTo("w: Delete the account of alice?");
      assertThat(bob.status().message().text()).isEqualTo("w: Delete the account of bob?");
      assertThat(send(client, Message.user("no").continuing(alice)).toString())
          .contains("alice: false");
      assertThat(send(client, Message.user("yes").continuing(bob)).toString())
          .contains("bob: true");
    }
  }

  private static dev.repartee.a2a.types.Task send(A2aClient client, Message message) {
    return (dev.repartee.a2a.types.Task) client.send(message);
  }

  @Test
  void aTaskDoesNotCountAsRunningWhenItsEndIsKnown() throws Exception {
    RunningTasks running = new RunningTasks("w");
    CompletableFuture<Json> alice = running.add(task("alice", toAlice).withRun("alice"));
    CompletableFuture<Answer> question = alice.thenCompose(done -> running.ask("Sure?", null, ""));
    alice.complete(Json.TRUE);
    assertThat(question.get().reason()).contains("no running task");

    CompletableFuture<Json> another = running.add(task("alice", toAlice).withRun("alice"));
    question = another
        .handle((done, failure) -> running.add(task("bob", toBob).withRun("bob")))
        .thenCompose(bob -> running.ask("Sure?", null, ""));
    another.cancel(true);
    assertThat(question.get().reason()).contains("ended without its answer");
  }

  @Test
  void aTaskHasOneEndThoughItsAnswerArrivesWhileItFails() throws Exception {
    RunningTasks running = new RunningTasks("w");
    CompletableFuture<Json> alice = running.add(task("alice", toAlice).withRun("alice"));
    alice.completeExceptionally(new IllegalStateException() {
      private static final long serialVersionUID = 1;

      @Override
      public String getMessage() { // read before the task counts as given up
        alice.complete(Json.TRUE);
        return "failed";
      }
    });
    running.add(task("bob", toBob).withRun("bob"));
    assertThat(running.ask("Sure?", null, "").get().reason()).contains("ended without its answer");
    assertThat(alice).isCompletedExceptionally();
  }

  @Test
  void aQuestionAfterACancelledCallOfAnotherCallerReachesNobody() throws Exception {
    Accounts hanging = new Accounts(1);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", hanging.service());
        Team team = CONNECTOR.team(Map.of("w", server.endpoint().toString()));
        Orchestrator orchestrator = Orchestrator.of(team)) {
      CompletableFuture<Json> alice =
          orchestrator.agent(plan("hang")).run(task("alice", new ConcurrentLinkedQueue<>()));
      hanging.running.await();
      alice.cancel(true); // the service still runs the call, and may ask about it
      hanging.cancelled.await();

      assertThat(get(orchestrator.agent(plan("delete")).run(task("bob", toBob))))
          .isEqualTo(Json.of("bob: false"));
      assertThat(toBob).isEmpty();
      assertThat(hanging.answers.remove().string("reason"))
          .contains("may still work on a call of another run that ended without its answer");

      // No task runs, and the agent has asked questions that name no call: the connection is
      // replaced.
      assertThat(get(orchestrator.agent(plan("delete")).run(task("bob", toBob))))
          .isEqualTo(Json.of("bob: true"));
      assertThat(toBob).containsExactly("Delete the account of bob?");
    }
  }

  private static Task deletion(String name) {
    return Task.of("delete", Json.of(Map.of("name", name))).withRun(name);
  }

  @Test
  void anMcpAgentAsksAgainAfterACancelledCallOfAnotherCaller() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    Service accounts = handshakeServer(new CountDownLatch(1), new CountDownLatch(1));
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", accounts);
        Agent agent = CONNECTOR.connect("w", "mcp+" + server.endpoint())) {
      CompletableFuture<Json> alice = agent.run(deletion("alice").withHuman(question -> {
        asked.countDown();
        return new CompletableFuture<>();
      }));
      asked.await();
      alice.cancel(true); // not the future of an orchestrator, whose task ends later
      assertThatThrownBy(alice::join).isInstanceOf(CancellationException.class);

      assertThat(get(agent.run(deletion("bob").withHuman(question -> {
            toBob.add(question.message());
            return CompletableFuture.completedFuture(Answer.agreed());
          }))))
          .isEqualTo(Json.of("bob: accept"));
      assertThat(toBob).containsExactly("Delete the account of bob?");
    }
  }

  @Test
  void aQuestionWithoutAnIdReachesTheHumanIfAllCallsBelongToOneRun() throws Exception {
    Accounts accounts = new Accounts(2, 1);
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    Plan both = Plan.parse("""
        {"name":"remove","steps":[{"race":[
          {"name":"a","agent":"w","skill":"delete","input":["alice"]},
          {"name":"b","agent":"w","skill":"hang","input":["bob"]}]}]}
        """);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", accounts.service());
        Team team = CONNECTOR.team(Map.of("w", server.endpoint().toString()));
        Orchestrator orchestrator = Orchestrator.of(team)) {
      assertThat(get(orchestrator.agent(both).run(task("", asked))))
          .isEqualTo(Json.of("alice: true"));
      assertThat(asked).containsExactly("Delete the account of alice?");
    }
  }

  @Test
  void aCallIdThatIsNotRunningRefusesTheQuestion() throws Exception {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    Service service = Service.builder()
        .method(
            "delete",
            call -> call.peer()
                .request("agent.ask")
                .params(Json.parse("{\"id\":999,\"message\":\"Sure?\"}"))
                .call(Json.class)
                .string("reason"))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
        Agent agent = CONNECTOR.connect("w", server.endpoint().toString())) {
      Task task = task("alice", asked);
      assertThat(get(agent.run(Task.of("delete", task.input()).withHuman(question -> {
            asked.add(question.message());
            return CompletableFuture.completedFuture(Answer.agreed());
          }))))
          .isEqualTo(Json.of("the agent has no running call with the id 999"));
      assertThat(asked).isEmpty();
    }
  }

  /** Deletes accounts as a tool, in a handshake revision of MCP: a question names no call. */
  private static Service handshakeServer(CountDownLatch running, CountDownLatch asked) {
    return Service.builder()
        .method("initialize", call -> Json.parse("""
            {"protocolVersion":"2025-11-25","capabilities":{"tools":{}},\
            "serverInfo":{"name":"accounts","version":"1"}}"""))
        .method("notifications/initialized", call -> null)
        .method("tools/list", call -> Json.parse("""
            {"tools":[{"name":"delete","inputSchema":{"type":"object"}}]}"""))
        .method("tools/call", call -> {
          running.countDown();
          running.await();
          String name = call.params().get("arguments").string("name");
          Json answer = call.peer()
              .request("elicitation/create")
              .params(Json.of(Map.of(
                  "message",
                  "Delete the account of " + name + "?",
                  "requestedSchema",
                  Map.of("type", "object", "properties", Map.of()))))
              .call(Json.class);
          asked.countDown();
          asked.await();
          String text = name + ": " + answer.string("action");
          return Map.of("content", List.of(Map.of("type", "text", "text", text)));
        })
        .build();
  }

  private static McpServer statelessServer(CountDownLatch running) {
    return McpServer.builder("accounts", "1")
        .tool(Tool.named("delete").handle((call, input) -> {
          running.countDown();
          running.await();
          String name = input.string("name");
          Elicitation form = Elicitation.form(
              "Delete the account of " + name + "?",
              Json.parse("{\"type\":\"object\",\"properties\":{}}"));
          return name + ": " + call.elicit("ok", form).action();
        }))
        .build();
  }

  private static final Plan TOOL_PLAN = Plan.parse("""
      {"name":"remove","input":{"type":"string"},
       "steps":[{"name":"d","agent":"w","skill":"delete","input":{"name":"${input}"}}]}
      """);

  @Test
  void anElicitationThatNamesNoCallReachesNoneOfTwoCallers() throws Exception {
    Service accounts = handshakeServer(new CountDownLatch(2), new CountDownLatch(2));
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", accounts)) {
      assertThat(runForBoth("mcp+" + server.endpoint(), TOOL_PLAN))
          .containsExactly(Json.of("alice: decline"), Json.of("bob: decline"));
      assertThat(toAlice).isEmpty();
      assertThat(toBob).isEmpty();
    }
  }

  @Test
  void anElicitationInTheResultOfACallReachesTheCallerOfItsRunOnly() throws Exception {
    try (Server server = statelessServer(new CountDownLatch(2)).listen("tcp://127.0.0.1:0")) {
      assertThat(runForBoth("mcp+" + server.endpoint(), TOOL_PLAN))
          .containsExactly(Json.of("alice: accept"), Json.of("bob: accept"));
      assertThat(toAlice).containsExactly("Delete the account of alice?");
      assertThat(toBob).containsExactly("Delete the account of bob?");
    }
  }
}
