package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.transport.Headers;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MCP servers and JSON-RPC services as agents. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT) // the slow tests wait for time limits
class RemoteAgentsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final AgentConnector CONNECTOR = new AgentConnector(Options.DEFAULT, PATIENCE);

  /** A service with types; rpc.discover therefore describes it. */
  public static final class Shop {
    /** The answer of a method. */
    public record Price(int cents) {}

    public Price price(String item, int count) {
      return new Price(item.length() * count);
    }

    public String slow(Call call) {
      call.progress(Map.of("progress", 1, "total", 2, "message", "half"));
      return "done";
    }

    public Object buy(Call call) {
      Json answer = call.peer().request("agent.ask").arg("message", "Buy it?").call(Json.class);
      return Map.of("bought", answer.get("granted"));
    }
  }

  private static Json run(Agent agent, Task task) throws Exception {
    return agent.run(task).get(60, TimeUnit.SECONDS);
  }

  private static Failure failure(Agent agent, Task task) throws Exception {
    try {
      throw new AssertionError("unexpected output: " + run(agent, task));
    } catch (ExecutionException e) {
      return Failure.of(e);
    }
  }

  @Test
  void theMethodsOfAServiceAreSkills() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Shop()));
        Agent shop = CONNECTOR.connect("shop", server.endpoint().toString())) {
      assertThat(shop.skills().stream().map(Skill::name)).contains("price", "slow", "buy");
      Json named = Json.parse("{\"item\":\"tea\",\"count\":2}");
      assertThat(run(shop, Task.of("price", named))).isEqualTo(Json.parse("{\"cents\":6}"));
      Json listed = Json.parse("[\"tea\",3]");
      assertThat(run(shop, Task.of("price", listed))).isEqualTo(Json.parse("{\"cents\":9}"));
      assertThat(failure(shop, Task.of("nothing", Json.NULL)).message())
          .contains("'nothing'", "Method not found");
      assertThat(failure(shop, Task.of(null, Json.NULL)).message())
          .contains("the task names no skill, and the agent 'shop' has several: ", "price");
      Queue<Progress> reports = new ConcurrentLinkedQueue<>();
      run(shop, Task.of("slow", Json.NULL).withProgress(reports::add));
      assertThat(reports).hasToString("[1 of 2: half]");
    }
  }

  @Test
  void aServiceAsksTheHumanOfItsTask() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Shop()));
        Agent shop = CONNECTOR.connect("shop", server.endpoint().toString())) {
      Task task = Task.of("buy", Json.NULL);
      assertThat(run(shop, task)).isEqualTo(Json.parse("{\"bought\":false}"));
      assertThat(run(
              shop,
              task.withHuman(question -> CompletableFuture.completedFuture(
                  question.message().equals("Buy it?") ? Answer.agreed() : Answer.refused("odd")))))
          .isEqualTo(Json.parse("{\"bought\":true}"));
    }
  }

  @Test
  void aResultThatDoesNotFitTheSchemaOfTheServiceFails() throws Exception {
    Json document = Json.parse("""
        {"openrpc":"1.3.2","methods":[{"name":"price","params":[],"result":{"name":"r",
         "schema":{"type":"object","required":["cents"]}}}]}""");
    Service service = Service.builder()
        .method("price", call -> Map.of("euros", 1))
        .others(dev.repartee.Lane.CONCURRENT, call -> document)
        .build();
    Options noDiscovery = Options.builder().builtins().build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, noDiscovery);
        Agent shop = CONNECTOR.connect("shop", server.endpoint().toString())) {
      Failure failure = failure(shop, Task.of("price", Json.NULL));
      assertThat(failure.kind()).isEqualTo(Failure.Kind.SCHEMA);
      assertThat(failure.message()).contains("'price' does not fit the schema", "cents");
    }
  }

  @ParameterizedTest
  @CsvSource({"tcp", "mem"})
  void theToolsOfAnMcpServerAreSkills(String transport) throws Exception {
    McpServer mcp = McpServer.builder("tools", "1")
        .tool(Tool.named("text").description("Answers text").handle((call, input) -> "text"))
        .tool(Tool.named("object").handle((call, input) -> Map.of("got", input)))
        .tool(Tool.named("error").handle((call, input) -> ToolResult.error("out of paper")))
        .tool(Tool.named("flood").handle((call, input) -> {
          for (int i = 0; i < 2_000; i++) {
            call.progress(i, 2_000.0, "update " + i);
          }
          return "flooded";
        }))
        .tool(Tool.named("ask")
            .handle((call, input) ->
                call.elicit("ok", Elicitation.form("Sure?", Json.parse("""
                    {"type":"object","properties":{"why":{"type":"string"}}}"""))).action()))
        .build();
    String uri = transport.equals("mem") ? "mem:agents-tools" : "tcp://127.0.0.1:0";
    try (Server server = mcp.listen(uri);
        Agent tools = CONNECTOR.connect("tools", "mcp+" + server.endpoint())) {
      assertThat(tools.skills().stream().map(Skill::name))
          .contains("text", "object", "error", "flood", "ask");
      assertThat(run(tools, Task.of("text", Json.EMPTY_OBJECT))).isEqualTo(Json.of("text"));
      Json input = Json.parse("{\"a\":1}");
      assertThat(run(tools, Task.of("object", input))).isEqualTo(Json.of(Map.of("got", input)));
      assertThat(failure(tools, Task.of("error", Json.EMPTY_OBJECT)))
          .isEqualTo(new Failure(Failure.Kind.ERROR, "the tool 'error' failed: out of paper"));
      assertThat(failure(tools, Task.of("text", Json.of(1))).kind()).isEqualTo(Failure.Kind.INPUT);
      Queue<Progress> reports = new ConcurrentLinkedQueue<>();
      run(tools, Task.of("flood", Json.EMPTY_OBJECT).withProgress(reports::add));
      assertThat(reports).isNotEmpty();
      assertThat(run(tools, Task.of("ask", Json.EMPTY_OBJECT))).isEqualTo(Json.of("decline"));
      assertThat(run(
              tools,
              Task.of("ask", Json.EMPTY_OBJECT)
                  .withHuman(question -> CompletableFuture.completedFuture(
                      Answer.agreed(Json.of(Map.of("why", question.message())))))))
          .isEqualTo(Json.of("accept"));
    }
  }

  @Test
  void aSilentOrDeadEndpointDoesNotBlockTheOthers() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Shop()));
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String shop = server.endpoint().toString();
      CONNECTOR.connect("warm", shop).close();
      String mute = "tcp://127.0.0.1:" + silent.getLocalPort();
      AgentConnector brief = new AgentConnector(Options.DEFAULT, Duration.ofSeconds(15));
      try (Team team = brief.team(Map.of(
          "shop",
          shop,
          "mute",
          mute,
          "muteTools",
          "mcp+" + mute,
          "gone",
          "exec:/no/such/program",
          "dead",
          "tcp://127.0.0.1:1"))) {
        assertThat(team.agents()).extracting(Agent::name).containsExactly("shop");
        assertThat(team.absent()).containsOnlyKeys("mute", "muteTools", "gone", "dead");
        assertThat(team.absent().get("gone").message()).contains("/no/such/program");
        assertThat(team.withSkill("price")).hasSize(1);
      }
    }
  }

  @Test
  void aTaskForAServiceThatIsGoneFailsWithoutATimeLimitOfItsOwn(@TempDir Path folder)
      throws Exception {
    // Not a port: another process could bind it.
    Server server = Repartee.listen("unix:" + folder.resolve("s"), Service.of(new Shop()));
    try (server;
        Agent shop = CONNECTOR.connect("shop", server.endpoint().toString())) {
      server.close();
      Failure failure = failure(shop, Task.of("price", Json.NULL));
      if (failure.kind() == Failure.Kind.LOST) { // sent before the loss was noticed
        failure = failure(shop, Task.of("price", Json.NULL));
      }
      assertThat(failure.kind()).isEqualTo(Failure.Kind.UNREACHABLE);
      assertThat(failure.message())
          .startsWith("the connection to 'shop' was lost, and")
          .contains("attempts to connect again have failed: ");
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aTaskOfAnAgentThatNeverAnswersLeavesNoConnection(boolean cancelled) throws Exception {
    try (SilentServer server = new SilentServer(1, true)) {
      CONNECTOR.connect("warm", "a2a+http://" + server.host()).close();
      Agent silent = new AgentConnector(Options.DEFAULT, Duration.ofSeconds(12))
          .connect("silent", "a2a+http://" + server.host());
      CompletableFuture<Json> output = silent.run(Task.of(null, Json.of("go")));
      assertThat(server.asked.await(60, TimeUnit.SECONDS)).isTrue();
      if (cancelled) {
        output.cancel(true);
      } else {
        silent.close();
      }
      assertThat(server.ended.await(60, TimeUnit.SECONDS)).isTrue();
      silent.close();
    }
  }

  @Test
  void anAgentOfA2aHasAtMostAThousandSkills() throws Exception {
    try (SilentServer server = new SilentServer(1_001, true);
        Agent agent = CONNECTOR.connect("many", "a2a+http://" + server.host())) {
      assertThat(agent.skills()).hasSize(1_000);
    }
  }

  @ParameterizedTest
  @CsvSource({"a2a+http", "acp+ws", "mcp+http", "json-rpc+http"})
  void anAgentGetsItsHeadersAndNoOtherAgentDoes(String protocol) throws Exception {
    Options options = Options.builder().header("X-All", "a").build();
    AgentConnector connector =
        new AgentConnector(options, PATIENCE).withHeaders("one", new Headers(Map.of("X-Key", "k")));
    try (SilentServer one = new SilentServer(1, false);
        SilentServer two = new SilentServer(1, false);
        Team team = connector.team(Map.of(
            "one", protocol + "://" + one.host() + "/",
            "two", protocol + "://" + two.host() + "/"))) {
      assertThat(one.lines).contains("X-All: a", "X-Key: k");
      assertThat(two.lines).contains("X-All: a").doesNotContain("X-Key: k");
      if (team.find("one") != null) { // of A2A: further requests have them, too
        one.lines.clear();
        team.find("one").run(Task.of(null, Json.of("go")));
        assertThat(one.asked.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(one.lines).contains("X-All: a", "X-Key: k");
      }
    }
  }

  @Test
  void aTaskThatIsCancelledBeforeItsSessionIsThereSendsNoPrompt() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger prompts = new AtomicInteger();
    Service agent = Service.builder()
        .method(
            "initialize",
            call -> Json.parse("{\"protocolVersion\":1,\"agentCapabilities\":"
                + "{\"sessionCapabilities\":{\"close\":{}}}}"))
        .method("session/new", call -> {
          opening.countDown();
          cancelled.await();
          return Map.of("sessionId", "s");
        })
        .method("session/prompt", call -> {
          prompts.incrementAndGet();
          return Map.of("stopReason", "end_turn");
        })
        .method("session/close", call -> {
          closed.countDown();
          return Map.of();
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", agent);
        Agent client = CONNECTOR.connect("acp", "acp+" + server.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThat(opening.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      cancelled.countDown();

      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(prompts).hasValue(0);
    }
  }

  @Test
  void aMistakeInAUriIsReportedBeforeAnythingStarts() {
    assertThatThrownBy(() -> CONNECTOR.team(Map.of("x", "smtp+exec:y")))
        .hasMessageStartingWith("the agent 'x': unknown protocol 'smtp'")
        .hasMessageContaining("mcp, a2a, acp, acp-runs, json-rpc");
    assertThatThrownBy(() -> CONNECTOR.connect("x", "stdio:")).hasMessageContaining("exec:COMMAND");
  }

  @Test
  void twoAgentsOfATeamHaveTwoNames() {
    Agent a = LocalAgent.named("a").skill("x", Task::input).build();
    assertThatThrownBy(() -> new Team(List.of(a, a), Map.of()))
        .hasMessage("two agents have the name 'a'; rename one");
  }
}
