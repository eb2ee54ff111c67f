package dev.repartee.agents.serve;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Handler;
import dev.repartee.Id;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves a skill as a method of JSON-RPC. */
final class RpcCalls implements Handler {
  /** The code of the error for a failed task. */
  private static final int FAILED = 1;

  /** The method of the caller for questions. The JSON-RPC agents of plans serve it. */
  private static final String ASK = "agent.ask";

  private final Agent agent;
  private final Skill skill;

  RpcCalls(Agent agent, Skill skill) {
    this.agent = agent;
    this.skill = skill;
  }

  @Override
  public Object handle(Call call) {
    Task task = Task.of(skill.name(), input(call.params()))
        .withProgress(report -> call.progress(value(report)))
        .withHuman(question -> ask(call, question));
    Duration left = call.timeLeft();
    CompletableFuture<Json> output = agent.run(left == null ? task : task.withDeadline(left));
    call.cancellation().onCancel(() -> output.cancel(true));
    return output.exceptionally(thrown -> {
      throw error(Failure.of(thrown));
    });
  }

  /** Returns the input of a call: its params object, or its only positional param. */
  private static Json input(@Nullable Json params) {
    if (params == null) {
      return Json.EMPTY_OBJECT;
    } else if (params.kind() == Json.Kind.OBJECT) {
      return params;
    }
    List<Json> elements = params.elements();
    if (elements.size() != 1) {
      throw new RpcException(
          RpcError.INVALID_PARAMS,
          "Invalid params",
          "expected one positional param, the input, but got " + elements.size());
    }
    return elements.get(0);
  }

  private static Json value(Progress report) {
    return new JsonObjectBuilder()
        .put("progress", report.done())
        .put("total", report.total())
        .put("message", report.message())
        .build();
  }

  /** Asks the caller. Refuses the question if the transport carries no calls to the caller. */
  private static CompletionStage<Answer> ask(Call call, Question question) {
    if (!call.hasPeer()) {
      return CompletableFuture.completedFuture(
          Answer.refused("the caller cannot be asked over " + call.channel().transport()));
    }
    Map<String, @Nullable Object> params = new LinkedHashMap<>();
    Id id = call.id();
    params.put("id", id == null ? null : id.json());
    params.put("task", question.task());
    params.put("agent", question.agent());
    params.put("message", question.message());
    params.put("schema", question.schema());
    CallFuture<Json> asked =
        call.peer().request(ASK).params((Object) params).timeout(Duration.ZERO).send(Json.class);
    CompletableFuture<Answer> answered = asked.thenApply(RpcCalls::answer);
    // The orchestrator cancels the stage if the step ends before the answer.
    answered.whenComplete((answer, failure) -> asked.cancel(true));
    return answered;
  }

  /** Reads an answer. One that is not clear refuses: a program has written it. */
  private static Answer answer(Json answer) {
    boolean isObject = answer.kind() == Json.Kind.OBJECT;
    Json content = isObject ? answer.get("content") : null;
    return new Answer(
        Consent.of(answer) == Consent.YES,
        content == null || content.isNull() ? null : content,
        isObject ? answer.string("reason") : null);
  }

  private static RpcException error(Failure failure) {
    int code = switch (failure.kind()) {
      case INPUT -> RpcError.INVALID_PARAMS;
      case TIMEOUT -> RpcError.DEADLINE_PASSED;
      case CANCELLED -> RpcError.CANCELLED;
      default -> FAILED;
    };
    return new RpcException(
        code, told(failure), Map.of("kind", failure.kind().name().toLowerCase(Locale.ROOT)));
  }

  /** Returns the message of a failure for a client, without the messages of internal exceptions. */
  static String told(Failure failure) {
    return failure.kind() == Failure.Kind.INTERNAL || failure.kind() == Failure.Kind.JOURNAL
        ? "the agent failed"
        : failure.message();
  }
}
