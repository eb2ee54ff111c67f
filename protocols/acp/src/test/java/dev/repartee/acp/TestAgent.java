package dev.repartee.acp;

import dev.repartee.RpcException;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.AuthMethodAgent;
import dev.repartee.acp.types.AvailableCommand;
import dev.repartee.acp.types.CreateElicitationRequest;
import dev.repartee.acp.types.Diff;
import dev.repartee.acp.types.ListSessionsResponse;
import dev.repartee.acp.types.Notice;
import dev.repartee.acp.types.NoticeSeverity;
import dev.repartee.acp.types.PlanEntry;
import dev.repartee.acp.types.PlanEntryPriority;
import dev.repartee.acp.types.PlanEntryStatus;
import dev.repartee.acp.types.PromptCapabilities;
import dev.repartee.acp.types.SessionConfigBoolean;
import dev.repartee.acp.types.SessionConfigSelect;
import dev.repartee.acp.types.SessionConfigSelectOption;
import dev.repartee.acp.types.SessionConfigSelectOptions;
import dev.repartee.acp.types.SessionInfo;
import dev.repartee.acp.types.SessionMode;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.Terminal;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCall;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.acp.types.UserMessageChunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An agent with commands as its prompts. */
final class TestAgent {
  static final String SECRET = "the password is 1234";

  final List<String> events = Collections.synchronizedList(new ArrayList<>());

  public static void main(String[] args) throws Exception {
    System.err.println("standard error is free");
    new TestAgent().builder().build().run();
  }

  AcpAgent.Builder builder() {
    return AcpAgent.builder("test-agent", "1.0", this::prompt)
        .title("Test")
        .prompts(new PromptCapabilities().withEmbeddedContext(true))
        .mode(new SessionMode("ask", "Ask"))
        .mode(new SessionMode("code", "Code"))
        .option(new SessionConfigSelect(
            "model",
            "Model",
            "small",
            SessionConfigSelectOptions.ofSessionConfigSelectOptionList(List.of(
                new SessionConfigSelectOption("small", "Small"),
                new SessionConfigSelectOption("large", "Large")))))
        .option(new SessionConfigBoolean("fast", "Fast", false))
        .command(new AvailableCommand("plan", "Make a plan"))
        .load(this::load)
        .resume(this::find)
        .list(request ->
            new ListSessionsResponse(List.of(new SessionInfo("old", "/").withTitle("Old"))))
        .delete(id -> events.add("deleted " + id))
        .onOpened(session -> session.attach("opened in " + session.cwd()))
        .onClosed(session -> events.add("closed"))
        .extension("_test/echo", call -> call.params());
  }

  AcpAgent.Builder withLogin() {
    return builder()
        .login(
            request -> events.add("login " + request.methodId()),
            new AuthMethodAgent("key", "API key"))
        .logout(() -> events.add("logout"));
  }

  private void find(AgentSession session) {
    if (!session.id().equals("old")) {
      throw AcpErrors.notFound(session.id());
    }
  }

  private void load(AgentSession session) {
    find(session);
    session.update(new UserMessageChunk(new TextContent("before")));
    session.update(new AgentMessageChunk(new TextContent("answer")));
  }

  private StopReason prompt(Turn turn) throws Exception {
    String[] words = turn.text().split(" ", 2);
    String rest = words.length < 2 ? "" : words[1];
    switch (words[0]) {
      case "count" -> {
        for (int i = 0; i < Integer.parseInt(rest); i++) {
          turn.say(String.valueOf(i));
        }
        events.add("counted");
      }
      case "session" ->
        turn.say(turn.session().attachment() + ", " + turn.session().mode() + ", "
            + turn.session().selected("model") + ", " + turn.session().isOn("fast"));
      case "notice" -> turn.update(new Notice(NoticeSeverity.INFO, rest));
      case "named" -> turn.update(new ToolCall("named", "Edit").withName(rest));
      case "mode" -> turn.session().mode(rest);
      case "plan" -> {
        turn.think("hm");
        turn.plan(new PlanEntry("a", PlanEntryPriority.HIGH, PlanEntryStatus.PENDING));
        turn.usage(1, 10);
      }
      case "read" -> turn.say(turn.client().readTextFile(rest));
      case "lines" -> turn.say(turn.client().readTextFile(rest, 2, 1));
      case "write" -> turn.client().writeTextFile(rest, "written");
      case "edit" -> edit(turn, rest);
      case "run" -> run(turn, rest);
      case "form" ->
        turn.say(turn.client()
            .elicit(new CreateElicitationRequest("form", "Name?")
                .withSessionId(turn.session().id()))
            .action());
      case "wait" -> waitForCancel(turn);
      case "fail" -> throw new IllegalStateException(SECRET);
      case "refuse" -> throw new RpcException(-32001, "out of credit");
      default -> turn.say("You said: " + turn.text());
    }
    return StopReason.END_TURN;
  }

  private static void edit(Turn turn, String path) {
    try (TurnTool tool = turn.tool("Edit", ToolKind.EDIT)) {
      tool.content(new Diff(path, "new"));
      if (tool.isAllowed()) {
        tool.begin();
        turn.client().writeTextFile(path, "new");
        tool.complete();
      }
    }
  }

  private static void run(Turn turn, String command) {
    String[] line = command.split(" ");
    String[] args = List.of(line).subList(1, line.length).toArray(new String[0]);
    try (TurnTool tool = turn.tool("Run", ToolKind.EXECUTE);
        AgentTerminal terminal = turn.client().startTerminal(line[0], args)) {
      tool.content(new Terminal(terminal.id()));
      terminal.waitForExit();
      turn.say(terminal.output().output());
      tool.complete();
    }
  }

  private static void waitForCancel(Turn turn) throws Exception {
    turn.say("waiting");
    try {
      turn.sleep(Duration.ofMinutes(1));
    } finally {
      turn.say("stopped");
    }
  }
}
