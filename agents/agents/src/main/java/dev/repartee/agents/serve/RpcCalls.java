package dev.repartee.agents.serve;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Handler;
import dev.repartee.RpcException;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.ClientShares;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
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

  /**
   * The maximum number of open tasks of a service. By default an orchestrator allows twice as many
   * runs, since a task that has lost its place may need time to end.
   */
  static final int MOST = 5_000;

  private final Agent agent;
  private final Skill skill;
  private final Places places;
  private final Duration absence;

  /** Creates the handler of a skill. The skills of a service share the places. */
  RpcCalls(Agent agent, Skill skill, Places places) {
    this(agent, skill, places, OpenTask.ABSENCE);
  }

  /** {@code absence} is the time for the answer to a question. */
  RpcCalls(Agent agent, Skill skill, Places places, Duration absence) {
    this.agent = agent;
    this.skill = skill;
    this.places = places;
    this.absence = absence;
  }

  @Override
  public Object handle(Call call) {
    Json input = input(call.params());
    Places.Place place = places.enter(ClientShares.client(null, call.channel().remote()));
    if (place == null) {
      throw new RpcException(
          RpcError.BUSY, "Busy; try again later", Map.of("limit", "openTasks", "max", MOST));
    }
    CompletableFuture<Json> output;
    try {
      output = agent.run(task(call, input, place));
    } catch (RuntimeException | Error e) {
      place.leave();
      throw e;
    }
    call.cancellation().onCancel(() -> output.cancel(true));
    return place.hold(output).exceptionally(thrown -> {
      throw error(Failure.of(thrown));
    });
  }

  private Task task(Call call, Json input, Places.Place place) {
    Questions questions = new Questions(call, place);
    Task task = Task.of(skill.name(), input)
        .withProgress(report -> call.progress(value(report)))
        .withHuman(questions::ask);
    Duration left = call.timeLeft();
    return left == null ? task : task.withDeadline(left);
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

  /** The questions of a task, which waits for its caller while one of them has no answer. */
  private final class Questions {
    private final Call call;
    private final Places.Place place;
    private int open; // the number of questions without an answer; guarded by this

    Questions(Call call, Places.Place place) {
      this.call = call;
      this.place = place;
    }

    CompletionStage<Answer> ask(Question question) {
      count(1); // before the question, since the caller may start another task then
      try {
        CompletableFuture<Answer> answer = RpcCalls.this.ask(call, question);
        answer.whenComplete((read, failure) -> count(-1));
        return answer;
      } catch (RuntimeException e) { // the connection has ended
        count(-1);
        throw e;
      }
    }

    private synchronized void count(int change) {
      open += change;
      place.use(open == 0 ? ClientShares.Use.RUNNING : ClientShares.Use.WAITING);
    }
  }

  /** Asks the caller. Refuses the question if the transport carries no calls to the caller. */
  private CompletableFuture<Answer> ask(Call call, Question question) {
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
        call.peer().request(ASK).params((Object) params).timeout(absence).send(Json.class);
    // On a worker: the thread that reads the connection serves others, too.
    CompletableFuture<Answer> answered = asked.thenApplyAsync(RpcCalls::answer, Workers.ALL);
    // The orchestrator cancels the stage if the step ends before the answer.
    answered.whenComplete((answer, failure) -> asked.cancel(true));
    return answered;
  }

  /**
   * Reads an answer. An answer that is not clear is a refusal, because a program has written it.
   */
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
