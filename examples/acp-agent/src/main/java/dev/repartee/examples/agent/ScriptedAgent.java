package dev.repartee.examples.agent;

import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.AcpErrors;
import dev.repartee.acp.AgentSession;
import dev.repartee.acp.Turn;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.AvailableCommand;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.ListSessionsResponse;
import dev.repartee.acp.types.PlanEntry;
import dev.repartee.acp.types.PlanEntryPriority;
import dev.repartee.acp.types.PlanEntryStatus;
import dev.repartee.acp.types.PromptCapabilities;
import dev.repartee.acp.types.SessionConfigBoolean;
import dev.repartee.acp.types.SessionConfigSelect;
import dev.repartee.acp.types.SessionConfigSelectOption;
import dev.repartee.acp.types.SessionConfigSelectOptions;
import dev.repartee.acp.types.SessionInfo;
import dev.repartee.acp.types.SessionInfoUpdate;
import dev.repartee.acp.types.SessionMode;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.UnstructuredCommandInput;
import dev.repartee.acp.types.UserMessageChunk;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An agent without a language model: a prompt is a list of commands, one on each line. Its sessions
 * last as long as the process.
 */
final class ScriptedAgent {
  private static final int MOST_CONVERSATIONS = 100;

  /** The conversations by the id of their session; guarded by itself. */
  private final Map<String, Conversation> conversations = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Conversation> eldest) {
      return size() > MOST_CONVERSATIONS;
    }
  };

  /** Returns the agent with everything that it offers. */
  AcpAgent agent() {
    return AcpAgent.builder("repartee-example", "1.0", this::prompt)
        .title("Repartee example agent")
        .prompts(new PromptCapabilities().withEmbeddedContext(true))
        .mode(new SessionMode("ask", "Ask").withDescription("Asks before each change"))
        .mode(new SessionMode("code", "Code").withDescription("Changes files without questions"))
        .option(new SessionConfigSelect(
            "tone",
            "Tone",
            "plain",
            SessionConfigSelectOptions.ofSessionConfigSelectOptionList(List.of(
                new SessionConfigSelectOption("plain", "Plain"),
                new SessionConfigSelectOption("loud", "Loud")))))
        .option(new SessionConfigBoolean("thoughts", "Show thoughts", true))
        .command(command("read", "Reads a file", "the path"))
        .command(command("write", "Writes a file", "the path and a text"))
        .command(command("run", "Runs a command", "the command"))
        .command(command("sleep", "Waits", "seconds"))
        .onOpened(this::keep)
        .load(this::load)
        .resume(this::resume)
        .list(this::list)
        .delete(id -> {
          synchronized (conversations) {
            conversations.remove(id);
          }
        })
        .build();
  }

  private static AvailableCommand command(String name, String description, String hint) {
    return new AvailableCommand(name, description).withInput(new UnstructuredCommandInput(hint));
  }

  // ---------------------------------------------------------------- sessions

  private void keep(AgentSession session) {
    Conversation conversation = new Conversation(session.cwd());
    session.attach(conversation);
    synchronized (conversations) {
      conversations.put(session.id(), conversation);
    }
  }

  private void resume(AgentSession session) {
    synchronized (conversations) {
      Conversation conversation = conversations.get(session.id());
      if (conversation == null) {
        throw AcpErrors.notFound(session.id());
      }
      session.attach(conversation);
    }
  }

  private void load(AgentSession session) {
    resume(session);
    for (Conversation.Message each : conversation(session).messages()) {
      TextContent text = new TextContent(each.text());
      session.update(each.isOfUser() ? new UserMessageChunk(text) : new AgentMessageChunk(text));
    }
  }

  private ListSessionsResponse list(ListSessionsRequest request) {
    synchronized (conversations) {
      return new ListSessionsResponse(conversations.entrySet().stream()
          .filter(each ->
              request.cwd() == null || request.cwd().equals(each.getValue().cwd()))
          .map(each -> new SessionInfo(each.getKey(), each.getValue().cwd())
              .withTitle(each.getValue().title()))
          .toList());
    }
  }

  private static Conversation conversation(AgentSession session) {
    return (Conversation) java.util.Objects.requireNonNull(session.attachment());
  }

  // ---------------------------------------------------------------- turns

  private StopReason prompt(Turn turn) throws Exception {
    List<String> steps = turn.text().lines().filter(each -> !each.isBlank()).toList();
    Conversation conversation = conversation(turn.session());
    conversation.add(true, turn.text());
    if (conversation.title() == null && !steps.isEmpty()) {
      conversation.title(steps.get(0));
      turn.update(new SessionInfoUpdate().withTitle(steps.get(0)));
    }
    if (turn.session().isOn("thoughts")) {
      turn.think("The prompt has " + steps.size() + " steps.");
    }
    for (int i = 0; i < steps.size(); i++) {
      plan(turn, steps, i);
      String said = step(turn, steps.get(i).strip());
      conversation.add(false, said);
      turn.say(said);
    }
    plan(turn, steps, steps.size());
    turn.usage(conversation.size(), 200_000);
    return StopReason.END_TURN;
  }

  /** Sends the plan, with the steps before {@code current} done. */
  private static void plan(Turn turn, List<String> steps, int current) {
    PlanEntry[] entries = new PlanEntry[steps.size()];
    for (int i = 0; i < entries.length; i++) {
      PlanEntryStatus status = i < current
          ? PlanEntryStatus.COMPLETED
          : i == current ? PlanEntryStatus.IN_PROGRESS : PlanEntryStatus.PENDING;
      entries[i] = new PlanEntry(steps.get(i), PlanEntryPriority.MEDIUM, status);
    }
    turn.plan(entries);
  }

  private static String step(Turn turn, String step) throws Exception {
    String[] words = step.replaceFirst("^/", "").split("\\s+", 2);
    String rest = words.length < 2 ? "" : words[1];
    String said = switch (words[0]) {
      case "read" -> Tools.read(turn, rest);
      case "write" -> Tools.write(turn, rest);
      case "run" -> Tools.run(turn, rest);
      case "mode" -> {
        turn.session().mode(rest);
        yield "The mode is " + rest + ".\n";
      }
      case "sleep" -> {
        turn.sleep(Duration.ofMillis((long) (1000 * Double.parseDouble(rest))));
        yield "Slept.\n";
      }
      default -> "You said: " + step + "\n";
    };
    return turn.session().selected("tone").equals("loud")
        ? said.toUpperCase(java.util.Locale.ROOT)
        : said;
  }
}
