package dev.repartee.mcp.client;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Polls a task of a server. Thread-safe. */
final class ServerTask implements RemoteTask {
  private static final long POLL = 1_000;
  private static final long SHORTEST = 50;
  private static final long LONGEST = 60_000;

  /** The maximum number of consecutive polls that fail for lack of a connection. */
  private static final int LOST = 5;

  private final McpClient client;
  private final String id;
  private final @Nullable String tool;
  private final @Nullable Function<Elicitation, Elicitation.Answer> elicitation;
  private final CallClock clock;

  /**
   * Creates a task.
   *
   * @param tool the tool, for the check of the result; null if it is unknown
   * @param elicitation answers the elicitations of the task; null for the handler of the client
   * @param clock the clock of the call that waits for the task
   */
  ServerTask(
      McpClient client,
      String id,
      @Nullable String tool,
      @Nullable Function<Elicitation, Elicitation.Answer> elicitation,
      CallClock clock) {
    this.clock = clock;
    this.client = client;
    this.id = id;
    this.tool = tool;
    this.elicitation = elicitation;
  }

  @Override
  public String id() {
    return id;
  }

  private CompletableFuture<Requests.Answer> send(String method, Map<String, Json> more) {
    Map<String, Json> params = new LinkedHashMap<>();
    params.put("taskId", Json.of(id));
    params.putAll(more);
    return client
        .requests()
        .send(Outgoing.of(method, Json.of(params), client.settings().timeout()).withTasks());
  }

  @Override
  public State state() {
    return Futures.await(Futures.map(send("tasks/get", Map.of()), ServerTask::state), "tasks/get");
  }

  private static State state(Requests.Answer answer) {
    return Answers.read("tasks/get", answer.link().server(), answer.json(), json -> {
      JsonObjectReader in = Answers.object(json);
      String label = in.string("status");
      try {
        return new State(
            Status.valueOf(label.toUpperCase(Locale.ROOT)),
            in.optionalString("statusMessage"),
            json);
      } catch (IllegalArgumentException e) {
        throw JsonObjectReader.invalid("the status '" + label + "' is unknown");
      }
    });
  }

  @Override
  public ToolResult await(Duration limit) {
    String late = "the task " + id + " has not ended within " + limit;
    return Futures.within(result(), limit, "the task " + id, late);
  }

  @Override
  public CompletableFuture<ToolResult> result() {
    Polling polling = new Polling();
    polling.poll();
    return polling.future;
  }

  @Override
  public void cancel() {
    Futures.await(send("tasks/cancel", Map.of()), "tasks/cancel");
  }

  /** One wait for the result. Runs one step at a time. */
  private final class Polling {
    final CompletableFuture<ToolResult> future = new CompletableFuture<>();
    private final Questions questions = new Questions(client.inputs(), elicitation, future, clock);
    private final Set<String> answered = new HashSet<>();
    private int lost;

    void poll() {
      if (future.isDone()) {
        return;
      }
      send("tasks/get", Map.of()).whenComplete((answer, failure) -> {
        try {
          if (failure == null) {
            lost = 0;
            take(answer, state(answer));
          } else if (Futures.failure(failure) instanceof DisconnectedException && ++lost < LOST) {
            again(POLL);
          } else {
            throw Futures.failure(failure);
          }
        } catch (RuntimeException | Error e) {
          fail(e);
        }
      });
    }

    private void fail(Throwable failure) {
      future.completeExceptionally(Futures.begun(failure));
    }

    private void again(long millis) {
      client.settings().clock().schedule(Duration.ofMillis(millis), Futures.WORKERS, this::poll);
    }

    private void take(Requests.Answer answer, State state) {
      Json json = state.json();
      switch (state.status()) {
        case COMPLETED -> completed(answer, json);
        case FAILED -> throw failure(answer, state);
        case CANCELLED ->
          throw new CancellationException("the task " + id + " was cancelled at the server");
        case INPUT_REQUIRED -> {
          if (answer.link().isStateless()) {
            Futures.WORKERS.execute(() -> respond(answer, json));
          } else {
            completed(answer, json); // tasks/result carries the questions
          }
        }
        default -> again(interval(json));
      }
    }

    private long interval(Json json) {
      Json given = json.get("pollIntervalMs");
      Double interval = Answers.hint(given == null ? json.get("pollInterval") : given);
      return interval == null ? POLL : Math.max(SHORTEST, Math.min(LONGEST, interval.longValue()));
    }

    private RuntimeException failure(Requests.Answer answer, State state) {
      Json error = state.json().get("error");
      if (error == null) {
        return new RemoteRpcException(
            "tools/call",
            answer.link().server(),
            new RpcError(
                RpcError.INTERNAL_ERROR,
                state.message() == null ? "the task has failed" : state.message()));
      }
      return Answers.read("tasks/get", answer.link().server(), error, json -> {
        JsonObjectReader in = Answers.object(json);
        Double code = Answers.number(in, "code");
        return new RemoteRpcException(
            "tools/call",
            answer.link().server(),
            new RpcError(
                code == null ? RpcError.INTERNAL_ERROR : code.intValue(),
                in.string("message"),
                in.get("data")));
      });
    }

    private void completed(Requests.Answer answer, Json json) {
      Json result = json.get("result");
      if (result != null && result.kind() == Json.Kind.OBJECT) {
        finish(ToolCall.checked(client, tool, answer, "tasks/get", result));
        return;
      }
      if (answer.link().isStateless()) {
        throw broken(answer, "missing: result");
      }
      finish(Futures.compose(
          send("tasks/result", Map.of()),
          last -> ToolCall.checked(client, tool, last, "tasks/result", last.json())));
    }

    private void finish(CompletableFuture<ToolResult> last) {
      last.whenComplete((value, failure) -> {
        if (failure == null) {
          future.complete(value);
        } else {
          fail(Futures.failure(failure));
        }
      });
    }

    /** Answers the questions of the task that are not answered yet. */
    private void respond(Requests.Answer answer, Json json) {
      try {
        Json asked = json.get("inputRequests");
        if (asked == null || asked.kind() != Json.Kind.OBJECT) {
          throw broken(answer, "missing: inputRequests");
        }
        Map<String, Json> open = asked.members();
        open.keySet().removeAll(answered);
        if (open.isEmpty()) {
          again(interval(json));
          return;
        }
        questions.begin(what -> broken(answer, what));
        Json answers = questions.answers(open, what -> broken(answer, what));
        answered.addAll(open.keySet());
        update(answers);
      } catch (RuntimeException | Error e) {
        fail(e);
      }
    }

    private void update(Json answers) {
      send("tasks/update", Map.of("inputResponses", answers)).whenComplete((nothing, failure) -> {
        if (failure == null) {
          poll();
        } else {
          fail(Futures.failure(failure));
        }
      });
    }

    private static ProtocolException broken(Requests.Answer answer, String what) {
      return Answers.broken("tasks/get", answer.link().server(), what);
    }
  }
}
