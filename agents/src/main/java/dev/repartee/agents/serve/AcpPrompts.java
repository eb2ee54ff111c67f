package dev.repartee.agents.serve;

import dev.repartee.RpcException;
import dev.repartee.acp.Prompter;
import dev.repartee.acp.Turn;
import dev.repartee.acp.TurnTool;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Serves an agent over the Agent Client Protocol: each prompt is a task. */
final class AcpPrompts implements Prompter {
  /** The code of the error for a failed task. */
  private static final int FAILED = 1;

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

  private static Answer ask(Turn turn, Question question) {
    try (TurnTool tool = turn.tool(Answers.text(question), ToolKind.OTHER)) {
      if (tool.isAllowed()) {
        tool.complete();
        return Answer.agreed();
      }
      return Answer.refused("the user of the client has rejected the question");
    }
  }
}
