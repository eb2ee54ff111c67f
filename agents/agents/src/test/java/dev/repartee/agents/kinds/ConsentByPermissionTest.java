package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.AcpClient;
import dev.repartee.acp.TurnTool;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Task;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A permission of the Agent Client Protocol consents to the question that the human has seen. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsentByPermissionTest {
  private static final AgentConnector CONNECTOR =
      new AgentConnector(Options.DEFAULT, Duration.ofSeconds(60));

  private static PermissionOption option(String name, PermissionOptionKind kind) {
    return new PermissionOption(name, name, kind);
  }

  /** Starts an agent that asks for permission with some options, and answers with the choice. */
  private static Server asking(PermissionOption... options) throws Exception {
    return AcpAgent.builder("asking", "1", turn -> {
          try (TurnTool tool = turn.tool("rm", ToolKind.DELETE)) {
            turn.say(tool.ask(options).map(PermissionOption::name).orElse("none"));
          }
          return StopReason.END_TURN;
        })
        .build()
        .listen("tcp://127.0.0.1:0", AcpAgent.options().build());
  }

  private static String run(Agent agent, List<String> asked, List<String> reported)
      throws Exception {
    Task task = Task.of("prompt", Json.of("go"))
        .withProgress(report -> reported.add(report.toString()))
        .withHuman(question -> {
          asked.add(question.message());
          return CompletableFuture.completedFuture(Answer.agreed());
        });
    return agent.run(task).get(60, TimeUnit.SECONDS).string();
  }

  @Test
  void aYesIsNoStandingPermission() throws Exception {
    List<String> asked = new ArrayList<>();
    List<String> reported = new ArrayList<>();
    try (Server server = asking(
            option("Always", PermissionOptionKind.ALLOW_ALWAYS),
            option("Never", PermissionOptionKind.REJECT_ONCE));
        Agent agent = CONNECTOR.connect("a", "acp+" + server.endpoint())) {
      assertThat(run(agent, asked, reported)).isEqualTo("Never");
      assertThat(asked).isEmpty();
      assertThat(reported)
          .contains("the permission for 'rm' was refused: the agent asks for a standing permission"
              + " only");
    }
  }

  @Test
  void theQuestionNamesTheOptionThatAYesChooses() throws Exception {
    List<String> asked = new ArrayList<>();
    try (Server server = asking(
            option("Always", PermissionOptionKind.ALLOW_ALWAYS),
            option("Only this one", PermissionOptionKind.ALLOW_ONCE));
        Agent agent = CONNECTOR.connect("a", "acp+" + server.endpoint())) {
      assertThat(run(agent, asked, new ArrayList<>())).isEqualTo("Only this one");
      assertThat(asked).containsExactly("May 'rm' run? Yes chooses 'Only this one'.");
    }
  }

  /** Runs an agent that asks a form, for a client that allows everything. */
  private static Answer allowed(Json schema, Queue<String> options) throws Exception {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Agent agent = LocalAgent.named("forms")
        .skill("ask", task -> {
          answered.complete(
              task.ask("remote", "Which?", schema).toCompletableFuture().join());
          return "done";
        })
        .build();
    try (Server server = AgentServers.acp(agent, "1")
            .listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        AcpClient client = AcpClient.builder("t", "1")
            .permissions(question -> {
              question.options().forEach(option -> options.add(option.name()));
              return question.allow();
            })
            .connect(server.endpoint().toString())) {
      client
          .newSession("/")
          .promptAsync(List.of(new TextContent("go")), update -> {})
          .get();
      return answered.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aPermissionAnswersNoFormExceptTheTextThatItShows() throws Exception {
    Queue<String> options = new ConcurrentLinkedQueue<>();
    Json amount = Json.parse("""
        {"type":"object","properties":{"amount":{"type":"number","default":1000}}}""");
    Answer refused = allowed(amount, options);
    assertThat(refused.granted()).isFalse();
    assertThat(refused.reason()).contains("the question is a form");
    assertThat(options).isEmpty();

    Json text = Json.parse("""
        {"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}""");
    assertThat(allowed(text, options)).isEqualTo(Answer.agreed(Json.parse("{\"answer\":\"yes\"}")));
    assertThat(options).containsExactly("Answer \"yes\"", "Reject");
  }

  @Test
  void aConsentWithoutValuesAnswersNoForm() {
    Json schema = Json.parse("""
        {"type":"object","properties":{"answer":{"type":"string"},\
        "more":{"type":"string","default":"no"}},"required":["answer","more"]}""");
    List<Answer> answers = new ArrayList<>(List.of(
        Answer.agreed(),
        Answer.agreed(Json.of("yes")),
        Answer.agreed(Json.parse("{\"granted\":true}")),
        Answer.agreed(Json.parse("{\"answer\":\"a\"}"))));
    Task task = Task.of(null, Json.NULL)
        .withHuman(question -> CompletableFuture.completedFuture(answers.remove(0)));
    for (int i = 0; i < 3; i++) {
      assertThat(task.ask("a", "Which?", schema).toCompletableFuture().join().granted())
          .isFalse();
    }
    assertThat(task.ask("a", "Which?", schema).toCompletableFuture().join().granted())
        .isTrue();
  }

  @Test
  void cancellingAQuestionCancelsItAtTheHuman() {
    CompletableFuture<Answer> human = new CompletableFuture<>();
    Task task = Task.of(null, Json.NULL).withHuman(question -> human);
    task.ask("a", "Sure?", null).toCompletableFuture().cancel(true);
    assertThat(human).isCancelled();
  }
}
