package dev.repartee.mcp.client;

import dev.repartee.CallTimeoutException;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a tool call: {@code client.request("index").arguments(shelf).onProgress(bar::set)
 * .call()}. Not thread-safe. May be sent more than once.
 */
public final class ToolCall {
  private static final String METHOD = "tools/call";

  private final McpClient client;
  private final String tool;
  private @Nullable Json arguments;
  private @Nullable Map<String, Json> single;
  private Duration timeout;
  private @Nullable Duration longest;
  private boolean independent;
  private @Nullable Consumer<Progress> progress;
  private @Nullable LogLevel level;
  private Map<String, Json> meta = Map.of();
  private @Nullable Function<Elicitation, Elicitation.Answer> elicitation;

  ToolCall(McpClient client, String tool) {
    this.client = client;
    this.tool = Objects.requireNonNull(tool, "tool");
    this.timeout = client.settings().timeout();
  }

  /**
   * Sets the arguments: a {@link Json} object, a map, a record, or any other value that {@link
   * Json#of} writes as an object. Null, the default, means no arguments.
   *
   * @throws IllegalArgumentException if the value is not written as an object
   */
  public ToolCall arguments(@Nullable Object arguments) {
    Json json = arguments == null
        ? null
        : arguments instanceof Json given ? given : client.types().toJson(arguments);
    if (json != null && json.kind() != Json.Kind.OBJECT) {
      throw new IllegalArgumentException("the arguments of a tool are an object, such as a map or a"
          + " record, not " + json.kind().phrase());
    }
    this.arguments = json;
    this.single = null;
    return this;
  }

  /** Adds an argument. */
  public ToolCall argument(String name, @Nullable Object value) {
    if (single == null) {
      single = arguments == null ? new LinkedHashMap<>() : arguments.members();
    }
    single.put(name, client.types().toJson(value));
    return this;
  }

  /**
   * Sets the time-out of the call, {@link McpClient.Builder#timeout} by default; zero for no limit.
   * It includes all rounds of the call: a new connection, repetitions, redirects, a login, the task
   * that the server runs for it, and the check of the result. It is paused while a handler of the
   * client answers an elicitation or a request to the model. After the time-out the call is
   * cancelled at the server and fails with {@link dev.repartee.CallTimeoutException}.
   */
  public ToolCall timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /**
   * Restarts the time-out with each progress report. A call that reports progress may then take
   * longer than {@link #timeout} (specification 2025-11-25, "Timeouts"). Requests progress reports
   * even without {@link #onProgress}. Off by default.
   *
   * @param longest the maximum total time to wait for the result
   * @throws IllegalArgumentException if {@code longest} is not positive
   */
  public ToolCall extendTimeout(Duration longest) {
    if (longest.isZero() || longest.isNegative()) {
      throw new IllegalArgumentException(
          "the longest time to wait has to be positive, not " + longest);
    }
    this.longest = longest;
    return this;
  }

  /**
   * Declares that this call is not made for the call that the sending thread serves, as {@link
   * dev.repartee.CallBuilder#independent} does: the deadline of the served call does not limit it.
   */
  public ToolCall independent() {
    this.independent = true;
    return this;
  }

  /**
   * Requests progress reports. The consumer runs before the call completes. It must not block,
   * because it runs on a thread that reads the connection.
   */
  public ToolCall onProgress(Consumer<Progress> progress) {
    this.progress = progress;
    return this;
  }

  /**
   * Requests the log messages of this call, from a minimum level, in the stateless revision. The
   * handshake revisions have one level for all calls: {@link McpClient#logLevel}. The messages go
   * to {@link McpClient.Builder#onLog}.
   *
   * @deprecated The specification has deprecated Logging: write to standard error, or use
   *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public ToolCall logLevel(LogLevel level) {
    this.level = level;
    return this;
  }

  /**
   * Sets the handler for the questions of this call in the stateless revision, and of the task that
   * the server runs for the call. It may block. The default handler is {@link
   * McpClient.Builder#onElicitation}. In the handshake revisions all questions go to the default
   * handler, because a question does not name its call. The builder of the client must have a
   * handler as well, because that handler declares the capability.
   */
  public ToolCall onElicitation(Function<Elicitation, Elicitation.Answer> handler) {
    this.elicitation = handler;
    return this;
  }

  /** Adds a member to the {@code _meta} of the request. */
  public ToolCall meta(String name, Object value) {
    Map<String, Json> more = new LinkedHashMap<>(meta);
    more.put(name, client.types().toJson(value));
    meta = more;
    return this;
  }

  /**
   * Sends the call and waits for its result. If the server runs the call as a task, this method
   * waits for the task until the time-out, and then cancels it.
   *
   * @return the result, also if {@link ToolResult#isError}
   * @throws dev.repartee.RpcException if the server answers with an error
   * @throws dev.repartee.CallTimeoutException if no result arrives in time
   * @throws dev.repartee.transport.DisconnectedException if the connection was lost; the server may
   *     have run the call, which is never sent twice
   * @throws dev.repartee.ProtocolException if the answer breaks the protocol, such as structured
   *     content that does not fit the tool's output schema
   */
  public ToolResult call() {
    return Futures.await(send(), tool);
  }

  /**
   * Sends the call. The future fails as {@link #call} does; {@link CompletableFuture#cancel}
   * cancels the call at the server.
   */
  public CompletableFuture<ToolResult> send() {
    Outgoing request = outgoing(false);
    Deadline deadline = client.requests().deadline(request);
    if (!hasTasksOf20251125(client.requests().last())) {
      return send(request, deadline);
    }
    return Futures.compose(
        client.lists().find(tool, deadline.nanosLeft()),
        known -> send(
            known != null && known.isAlwaysTask()
                ? request.with("task", Json.EMPTY_OBJECT)
                : request,
            deadline));
  }

  /** Returns whether the client requests a task; in the stateless revision the server decides. */
  private static boolean hasTasksOf20251125(Link link) {
    return link.revision() == Revision.V2025_11_25 && link.hasTasks();
  }

  private CompletableFuture<ToolResult> send(Outgoing request, Deadline deadline) {
    return Futures.compose(client.requests().send(request, deadline), answer -> {
      RemoteTask task = task(request, answer);
      return task == null ? result(answer) : result(task, answer);
    });
  }

  /** Waits for a task until the time-out. Cancels the task if the wait ends first. */
  private CompletableFuture<ToolResult> result(RemoteTask task, Requests.Answer answer) {
    CompletableFuture<ToolResult> result = task.result();
    Deadline.Timer timer = answer
        .deadline()
        .whenPassed(() -> result.completeExceptionally(new CallTimeoutException("the task that "
            + answer.link().server() + " has made of a call of the tool '" + tool
            + "' has not ended in time; it was cancelled")));
    result.whenComplete((value, failure) -> {
      timer.stop();
      if (failure instanceof CallTimeoutException || failure instanceof CancellationException) {
        Futures.WORKERS.execute(() -> cancel(task));
      }
    });
    return result;
  }

  private static void cancel(RemoteTask task) {
    try {
      task.cancel();
    } catch (RuntimeException e) {
      // The task may have ended already. The wait is over in any case.
    }
  }

  /**
   * Sends the call, and asks the server to run it as a task. The future completes with the task. If
   * the server answers with the result instead, the task is already finished.
   */
  public CompletableFuture<RemoteTask> start() {
    Outgoing request = outgoing(true);
    Deadline deadline = client.requests().deadline(request);
    if (!hasTasksOf20251125(client.requests().last())) {
      return started(request, deadline);
    }
    return Futures.compose(
        client.lists().find(tool, deadline.nanosLeft()),
        known -> started(
            known != null && known.mayBeTask() ? request.with("task", Json.EMPTY_OBJECT) : request,
            deadline));
  }

  private CompletableFuture<RemoteTask> started(Outgoing request, Deadline deadline) {
    return Futures.compose(client.requests().send(request, deadline), answer -> {
      RemoteTask task = task(request, answer);
      if (task != null) {
        return CompletableFuture.completedFuture(task);
      }
      return Futures.<ToolResult, RemoteTask>map(result(answer), FinishedTask::new);
    });
  }

  private Outgoing outgoing(boolean tasks) {
    Map<String, Json> params = new LinkedHashMap<>();
    params.put("name", Json.of(tool));
    Json given = single == null ? arguments : Json.of(single);
    if (given != null) {
      params.put("arguments", given);
    }
    return new Outgoing(
        METHOD,
        Json.of(params),
        timeout,
        longest,
        progress,
        level,
        meta,
        tasks,
        independent,
        elicitation);
  }

  /** Returns the task in the answer of the server, or null if the answer is the result. */
  private @Nullable RemoteTask task(Outgoing request, Requests.Answer answer) {
    Json type = answer.members().get("resultType");
    if (type != null && type.equals(TASK)) {
      return task(request, answer, answer.json());
    }
    Json task = answer.members().get("task");
    return task != null && !answer.members().containsKey("content")
        ? task(request, answer, task)
        : null;
  }

  private static final Json TASK = Json.of("task");

  private RemoteTask task(Outgoing request, Requests.Answer answer, Json task) {
    String id = Answers.read(
        METHOD, answer.link().server(), task, json -> Answers.object(json).string("taskId"));
    return new ServerTask(
        client, id, tool, request.elicitation(), answer.deadline().clock());
  }

  private CompletableFuture<ToolResult> result(Requests.Answer answer) {
    return checked(client, tool, answer, METHOD, answer.json());
  }

  /**
   * Reads a result and checks its structured content against the schema of the tool before the
   * time-out. Skips the check if the schema does not arrive in time.
   */
  static CompletableFuture<ToolResult> checked(
      McpClient client, @Nullable String tool, Requests.Answer answer, String method, Json json) {
    Link link = answer.link();
    ToolResult result = Answers.read(method, link.server(), json, Answers::toolResult);
    if (result.isError() || tool == null) {
      return CompletableFuture.completedFuture(result);
    }
    RemoteTool known = client.lists().known(tool);
    boolean listed = link.agreed().capabilities().get("tools") != null;
    if (known == null && result.structured() != null && listed) {
      return client
          .lists()
          .find(tool, answer.deadline().nanosLeft())
          .thenCompose(found -> checked(client, found, result, answer, method));
    }
    return checked(client, known, result, answer, method);
  }

  private static CompletableFuture<ToolResult> checked(
      McpClient client,
      @Nullable RemoteTool tool,
      ToolResult result,
      Requests.Answer answer,
      String method) {
    if (tool == null || tool.output() == null) {
      return CompletableFuture.completedFuture(result);
    }
    CompletableFuture<ToolResult> checked = new CompletableFuture<>();
    client.checks().execute(() -> {
      try {
        String misfit = tool.misfit(result.structured(), () -> requireTime(tool, answer));
        if (misfit != null) {
          throw Answers.broken(
              method, answer.link().server(), "the tool '" + tool.name() + "': " + misfit);
        }
        checked.complete(result);
      } catch (RuntimeException | Error e) {
        checked.completeExceptionally(e);
      }
    });
    return checked;
  }

  private static void requireTime(RemoteTool tool, Requests.Answer answer) {
    if (answer.deadline().nanosLeft() <= 0) {
      throw new CallTimeoutException("the result of the tool '" + tool.name() + "' of "
          + answer.link().server() + " could not be checked against its schema in time");
    }
  }
}
