package dev.repartee.agents.serve;

import dev.repartee.CallTimeoutException;
import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Skill;
import dev.repartee.agents.internal.Causes;
import dev.repartee.agents.serve.OpenTask.Asked;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Serves a skill as a tool of MCP.
 *
 * <p>In a stateless revision of MCP a question ends the call, and the client calls again with the
 * answer. A task may therefore outlive its call. {@link McpCall#once} keeps the id of the task;
 * with this id, the next call continues the task. If the next call does not arrive in time, the
 * task is cancelled.
 */
final class ToolCalls implements Tool.Handler {
  static final String INPUT = "input";

  private static final Json CONSENT = Json.parse("{\"type\":\"object\",\"properties\":{}}");

  private final Skill skill;
  private final boolean wrapped;
  private final OpenTasks tasks;

  /**
   * Creates a handler.
   *
   * @param wrapped whether the input is the member {@link #INPUT} of the arguments
   */
  ToolCalls(Agent agent, Skill skill, boolean wrapped) {
    this.skill = skill;
    this.wrapped = wrapped;
    this.tasks = new OpenTasks(agent);
  }

  @Override
  public Object handle(McpCall call, Json arguments) {
    Json member = arguments.get(INPUT);
    Json input = wrapped && member != null ? member : arguments;
    AtomicBoolean isNew = new AtomicBoolean();
    String id = call.once("task", () -> {
          isNew.set(true);
          return UUID.randomUUID().toString();
        })
        .as(String.class);
    OpenTask task = isNew.get() ? started(id, call, input) : tasks.find(id);
    if (task == null) { // the task must not run twice
      throw new ToolException(
          "the task of this question has ended, or the server was restarted; call the tool anew");
    }
    AtomicInteger reports = new AtomicInteger();
    task.enter(report -> call.progress(reports.incrementAndGet(), null, report.toString()));
    call.cancellation().onCancel(task::cancel);
    return advance(call, task);
  }

  private OpenTask started(String id, McpCall call, Json input) {
    Principal principal = call.principal();
    String client = ClientShares.client(
        principal == null ? null : principal.name(), call.call().channel().remote());
    OpenTask task = tasks.start(id, client, skill.name(), input);
    if (task == null) {
      throw new ToolException("too many calls are running; call again later");
    }
    return task;
  }

  private static CompletionStage<Object> advance(McpCall call, OpenTask task) {
    return task.next()
        .thenCompose(question -> question == null
            ? task.output().handle(ToolCalls::result)
            : answered(call, task, question));
  }

  private static CompletionStage<Object> answered(McpCall present, OpenTask task, Asked one) {
    Json schema = one.question().schema();
    Elicitation form =
        Elicitation.form(Answers.text(one.question()), schema == null ? CONSENT : schema);
    return present
        .askAsync(Map.of(one.key(), form))
        .handle((answers, thrown) -> {
          Throwable failure = thrown == null ? null : Causes.of(thrown);
          if (failure == null) {
            Json answer = Objects.requireNonNull(answers.get(one.key()));
            one.answer().complete(answer(answer));
          } else if (failure instanceof RpcException
              || failure instanceof ToolException
              || failure instanceof CallTimeoutException) {
            one.answer()
                .complete(Answer.refused(
                    "the client cannot ask: " + Failure.of(failure).message()));
          } else {
            task.leave();
            throw new CompletionException(failure); // the client calls again with the answer
          }
          return one;
        })
        .thenCompose(done -> advance(present, task));
  }

  private static Answer answer(Json answer) {
    Json content = answer.get("content");
    return Consent.of(answer) == Consent.YES
        ? new Answer(true, content == null || content.isNull() ? null : content, null)
        : Answer.refused("the user of the client has declined");
  }

  private static Object result(@Nullable Json output, @Nullable Throwable thrown) {
    if (thrown != null || output == null) {
      throw new ToolException(
          thrown == null ? "the agent failed" : RpcCalls.told(Failure.of(thrown)));
    }
    return output.kind() == Json.Kind.STRING
        ? output.as(String.class)
        : ToolResult.structured(output);
  }
}
