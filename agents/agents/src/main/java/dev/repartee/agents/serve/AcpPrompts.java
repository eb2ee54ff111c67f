package dev.repartee.agents.serve;

import dev.repartee.RpcException;
import dev.repartee.acp.Prompter;
import dev.repartee.acp.Turn;
import dev.repartee.acp.TurnTool;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Serves an agent over the Agent Client Protocol: each prompt is a task. */
final class AcpPrompts implements Prompter {
  /** The code of the error for a failed task. */
  private static final int FAILED = 1;

  private static final PermissionOption ALLOW =
      new PermissionOption("allow", "Allow", PermissionOptionKind.ALLOW_ONCE);
  private static final PermissionOption YES =
      new PermissionOption("yes", "Answer \"yes\"", PermissionOptionKind.ALLOW_ONCE);
  private static final PermissionOption REJECT =
      new PermissionOption("reject", "Reject", PermissionOptionKind.REJECT_ONCE);

  private final Agent agent;

  AcpPrompts(Agent agent) {
    this.agent = agent;
  }

  @Override
  public StopReason prompt(Turn turn) {
    Task task = Task.of(null, input(turn.text()))
        .withProgress(report -> report(turn, report))
        .withHuman(
            question -> CompletableFuture.supplyAsync(() -> ask(turn, question), Workers.ALL));
    CompletableFuture<Json> output = agent.run(task);
    turn.onCancel(() -> output.cancel(true));
    try {
      Json json = output.join();
      turn.say(json.text());
      return StopReason.END_TURN;
    } catch (CompletionException e) {
      Failure failure = Failure.of(e);
      if (failure.kind() == Failure.Kind.REFUSED) {
        turn.say(RpcCalls.told(failure));
        return StopReason.REFUSAL;
      }
      throw new RpcException(FAILED, RpcCalls.told(failure));
    }
  }

  /** Returns a prompt as JSON if it is an object or an array, otherwise as a string. */
  private static Json input(String prompt) {
    String text = prompt.strip();
    if (text.startsWith("{") || text.startsWith("[")) {
      try {
        return Json.parse(text);
      } catch (JsonException e) {
        // The text only begins like JSON.
      }
    }
    return Json.of(prompt);
  }

  private static void report(Turn turn, Progress report) {
    try {
      turn.think(report + "\n");
    } catch (RuntimeException e) {
      // The turn or its connection has ended.
    }
  }

  /**
   * Asks for a permission, which carries no values. A form with a single text therefore gets the
   * text that the name of the option shows; other forms are refused.
   */
  private static Answer ask(Turn turn, Question question) {
    Json schema = question.schema();
    boolean consents = schema == null || Answers.fields(schema).isEmpty();
    String field = consents ? null : Answers.onlyText(Objects.requireNonNull(schema));
    if (!consents && field == null) {
      return Answer.refused(
          "the question is a form, and the Agent Client Protocol asks for permissions only");
    }
    try (TurnTool tool = turn.tool(Answers.text(question), ToolKind.OTHER)) {
      PermissionOption chosen = tool.ask(field == null ? ALLOW : YES, REJECT).orElse(REJECT);
      if (chosen.equals(REJECT)) {
        return Answer.refused("the user of the client has rejected the question");
      }
      tool.complete();
      return field == null ? Answer.agreed() : Answer.agreed(Json.of(Map.of(field, "yes")));
    }
  }
}
