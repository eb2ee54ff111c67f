package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.CallView;
import dev.repartee.Cancellation;
import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.http.Resumable;
import dev.repartee.mcp.types.ClientCapabilities;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.RootsRequest;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client as handlers see it: the caller, and the messages that the handler can
 * exchange with the client before its result. The interface is the same in all revisions.
 * Thread-safe.
 *
 * <p>In a stateless revision, a handler that {@linkplain #ask asks} the client for input runs again
 * from its start once the client has answered. Everything before the question must therefore be
 * safe to repeat, or be wrapped in {@link #once}.
 */
public final class McpCall implements CallView {
  /** The attribute of a JSON-RPC call that contains its MCP call. */
  static final Attribute<McpCall> KEY = Attribute.named("MCP call");

  private final Call call;
  private final ServerSession session;
  private final ServerSession.Client client;
  private final @Nullable Json progressToken;
  private final @Nullable LogLevel level;
  private final RoundState roundState;
  private final @Nullable TaskRun run;
  private double lastProgress = Double.NEGATIVE_INFINITY; // guarded by this

  /**
   * @param session the session of the client; for a stateless request, it only keeps {@linkplain
   *     #inSession objects}
   * @param level the lowest log level that the client wants; null if it does not want a log
   */
  McpCall(
      Call call,
      ServerSession session,
      ServerSession.Client client,
      @Nullable Json progressToken,
      @Nullable LogLevel level,
      RoundState roundState) {
    this.call = call;
    this.session = session;
    this.client = client;
    this.progressToken = progressToken;
    this.level = level;
    this.roundState = roundState;
    this.run = call.attributes().get(TaskRun.KEY);
    call.set(KEY, this);
  }

  /**
   * Returns the MCP call of a JSON-RPC call, for layers and for other code that only has the {@link
   * Call}.
   *
   * @throws IllegalStateException if the call is not an MCP call
   */
  public static McpCall of(Call call) {
    McpCall known = call.attributes().get(KEY);
    if (known == null) {
      throw new IllegalStateException("'" + call.method() + "' is not a call of MCP");
    }
    return known;
  }

  /** Returns the JSON-RPC call. */
  public Call call() {
    return call;
  }

  /** Returns the revision of this request. */
  public Revision revision() {
    return client.revision();
  }

  /** Returns the client's name and version as the client states them; they are not verified. */
  public Implementation client() {
    return client.self();
  }

  /** Returns the capabilities that the client has declared. */
  public ClientCapabilities capabilities() {
    return client.capabilities();
  }

  /**
   * Returns the caller, by the access token of the request or by an authenticator; null if it is not
   * authenticated.
   */
  public @Nullable Principal principal() {
    return call.attributes().get(Principal.KEY);
  }

  /**
   * Returns the cancellation of this call. A call is cancelled by {@code notifications/cancelled},
   * by a closed connection (2026-07-28 over HTTP), or by {@code tasks/cancel}.
   */
  public Cancellation cancellation() {
    return call.cancellation();
  }

  /**
   * Returns the exception to throw if a resource with that URI does not exist: -32602 from
   * 2026-07-28 on, -32002 before.
   */
  public RpcException notFound(String uri) {
    return new RpcException(
        revision().isStateless() ? RpcError.INVALID_PARAMS : McpError.RESOURCE_NOT_FOUND,
        "Resource not found: " + uri,
        new JsonObjectBuilder().put("uri", uri).build());
  }

  /**
   * Returns an object that belongs to the session of this client: its connection, or its session
   * over Streamable HTTP. The first call creates the object. When the session ends, the object is
   * closed on a dedicated thread, which it may block. Its memory is not counted.
   *
   * @param key the key of the object; a constant
   * @param first creates the object; must not block, because the lock of the session is held
   * @throws ToolException if this request does not belong to a session, such as a stateless request
   *     over HTTP or a task, or if the session has ended
   */
  public <T extends AutoCloseable> T inSession(Attribute<T> key, Supplier<T> first) {
    return session.keep(key, first);
  }

  /** Returns the session of the client; null for a stateless request. */
  @Nullable ServerSession session() {
    return revision().isStateless() ? null : session;
  }

  RoundState roundState() {
    return roundState;
  }

  // ---------------------------------------------------------------- tasks

  /**
   * Turns this call into a task if the client declares the tasks extension and the tool is
   * {@linkplain Tool.Builder#detaching detaching}. The request is answered now with the task
   * handle, and the handler continues. Otherwise, or if this call is a task already, does nothing.
   *
   * @throws RpcException -31000 if the server has too many tasks
   * @throws java.util.concurrent.CancellationException if the request was cancelled
   */
  public void detach() {
    if (run != null) {
      run.detach();
    }
  }

  /** Returns whether the client accepts a task handle as result. */
  boolean takesTasks() {
    return revision().isStateless() && capabilities().extension(Tasks.EXTENSION) != null;
  }

  /** Throws -32021 unless the client declares the tasks extension. */
  void requireTasks() {
    if (!takesTasks()) {
      throw Errors.missing(Tasks.CAPABILITY);
    }
  }

  /**
   * Returns whether this call is the inner call of a {@link TaskRun}, not the request from the
   * client.
   */
  boolean isRunAgain() {
    return run != null;
  }

  /** Returns the task of this call; null if this call is not, or not yet, a task. */
  private @Nullable Task task() {
    return run == null ? null : run.task();
  }

  /** Sends a notification before the result, on the connection of the client's request. */
  private void tell(String method, Json params) {
    if (run == null) {
      call.notify(method, params);
    } else {
      run.tell(method, params);
    }
  }

  // ---------------------------------------------------------------- progress and log

  /** Reports progress without a message; see {@link #progress(double, Double, String)}. */
  public void progress(double progress, double total) {
    progress(progress, total, null);
  }

  /**
   * Reports progress to the client ({@code notifications/progress}) if its request has a progress
   * token. For a {@linkplain #detach task}, sets the status message of the task. Progress that is
   * not greater than the last progress is dropped, as the specification requires; so is progress
   * after the result.
   *
   * @param progress the progress so far, in units of the handler's choice
   * @param total the expected progress at the end, or null if it is not known
   * @param message a description of the current step, or null; clients of 2024-11-05 do not get it
   */
  public void progress(double progress, @Nullable Double total, @Nullable String message) {
    Task task = task();
    if (task == null && progressToken == null) {
      return;
    }
    synchronized (this) {
      if (!(progress > lastProgress)) {
        return;
      }
      lastProgress = progress;
    }
    if (task != null) {
      String extent = total == null ? "" : " of " + number(total);
      task.say(message == null ? number(progress) + extent : message);
      return;
    }
    tell(
        "notifications/progress",
        new JsonObjectBuilder()
            .put("progressToken", progressToken)
            .put("progress", number(progress))
            .put("total", total == null ? null : number(total))
            .put("message", revision().isAtLeast(Revision.V2025_03_26) ? message : null)
            .build());
  }

  /**
   * Returns whole numbers as {@code long}: some clients expect an integer and reject a fraction.
   */
  private static Number number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1L << 53 ? (Number) (long) value : value;
  }

  /**
   * Sends a log message without a logger; see {@link #log(LogLevel, String, Object)}.
   *
   * @deprecated The specification has deprecated Logging: write to standard error, or use
   *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public void log(LogLevel level, Object data) {
    log(level, null, data);
  }

  /**
   * Sends a log message to the client ({@code notifications/message}) if the client wants that
   * level. In the handshake revisions the level of the session counts; in 2026-07-28 only the level
   * in the request. A {@linkplain #detach task} does not send log messages.
   *
   * @param logger the name of the component that logs, or null
   * @param data a string, or any value that {@link Json#of} can write; never a secret
   * @deprecated The specification has deprecated Logging: write to standard error, or use
   *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public void log(LogLevel level, @Nullable String logger, Object data) {
    if (this.level != null && level.compareTo(this.level) >= 0 && task() == null) {
      tell(ServerSession.LOG, ServerSession.message(level, logger, data));
    }
  }

  /**
   * Closes the connection of this call's SSE stream. The client reconnects after the given time and
   * resumes the stream with the events that it missed. Does nothing unless the call arrived in a
   * session of 2025-11-25 over Streamable HTTP.
   *
   * @param retry the time after which the client should reconnect
   */
  public void closeSseStream(Duration retry) {
    Resumable stream = call.attributes().get(Resumable.KEY);
    if (stream != null) {
      stream.closeSseStream(retry);
    }
  }

  // ---------------------------------------------------------------- requests to the client

  /**
   * Asks the user for input and waits for the answer. See {@link #ask} for keys, waiting and
   * errors.
   *
   * @param key a key of the handler's choice, as for {@link #ask}
   * @throws RpcException if the client answers with an error or with an answer of another shape, or
   *     does not support the elicitation (a {@link ToolException} before 2026-07-28)
   */
  public Elicitation.Answer elicit(String key, Elicitation what) {
    return answer(key, what, Elicitation.Answer::of);
  }

  /**
   * Has the client's model generate a message and waits for it. See {@link #ask} for keys, waiting
   * and errors.
   *
   * @param key a key of the handler's choice, as for {@link #ask}
   * @throws RpcException if the client answers with an error or with an answer of another shape, or
   *     does not support sampling (a {@link ToolException} before 2026-07-28)
   * @deprecated The specification has deprecated Sampling: call the API of a model instead
   *     (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public Sampling.Answer sample(String key, Sampling what) {
    return answer(key, what, Sampling.Answer::of);
  }

  /**
   * Asks the client for its roots and waits for them. See {@link #ask} for keys, waiting and
   * errors.
   *
   * @param key a key of the handler's choice, as for {@link #ask}
   * @throws RpcException if the client answers with an error or with an answer of another shape, or
   *     does not support roots (a {@link ToolException} before 2026-07-28)
   * @deprecated The specification has deprecated Roots: use arguments of tools, addresses of
   *     resources or settings of the server (SEP-2577, since 2026-07-28). It works in all
   *     revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public List<Root> roots(String key) {
    return answer(key, new RootsRequest(), RootsRequest::rootsIn);
  }

  private <T> T answer(String key, InputRequest what, java.util.function.Function<Json, T> form) {
    return read(key, Objects.requireNonNull(ask(Map.of(key, what)).get(key)), form);
  }

  private static <T> T read(String key, Json answer, java.util.function.Function<Json, T> form) {
    try {
      return form.apply(answer);
    } catch (RpcException | JsonException e) {
      throw JsonObjectReader.invalid(
          "the client's answer to '" + key + "' does not fit: " + e.getMessage());
    }
  }

  /**
   * Sends several requests to the client together and waits for all answers, at most for {@link
   * McpServer.Builder#inputTimeout}.
   *
   * <p>In a handshake revision, and in a {@linkplain #detach task}, the handler waits here. In a
   * stateless revision this method ends the handler with an exception that the handler must not
   * catch. The client then repeats its request with the answers, the handler runs again from its
   * start, and this method returns the answers.
   *
   * @param requests the requests by keys of the handler's choice; a request must have the same key
   *     each time the handler runs
   * @return the answers of the client by the same keys
   * @throws RpcException -32021 if the client has not declared the capability (a {@link
   *     ToolException} before 2026-07-28), or the error that the client answers
   * @throws dev.repartee.CallTimeoutException if the client of a session does not answer in time (a
   *     {@link ToolException} in a task)
   */
  public Map<String, Json> ask(Map<String, ? extends InputRequest> requests) {
    try {
      return askAsync(requests).toCompletableFuture().join();
    } catch (java.util.concurrent.CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Sends several requests to the client without waiting. The stage completes with the answers, or
   * with the exception that {@link #ask} throws.
   */
  public CompletionStage<Map<String, Json>> askAsync(Map<String, ? extends InputRequest> requests) {
    try {
      requests.values().forEach(this::requireTaken);
      ServerSession asked = session();
      return asked == null ? roundState.take(requests, this::askMore) : askAll(asked, requests);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void requireTaken(InputRequest request) {
    if (!request.isTakenBy(capabilities())) {
      throw revision().isStateless()
          ? Errors.missing(request.capability())
          : new ToolException("This client has not declared that it can do '" + request.method()
              + "', which this needs");
    }
  }

  /**
   * Asks through the task, which waits, or through the result of the request, which ends the
   * handler.
   */
  private CompletionStage<Map<String, Json>> askMore(Map<String, InputRequest> requests) {
    Task task = task();
    return task == null
        ? CompletableFuture.failedStage(new InputRequired(requests))
        : task.ask(requests);
  }

  private CompletionStage<Map<String, Json>> askAll(
      ServerSession session, Map<String, ? extends InputRequest> requests) {
    Map<String, CompletableFuture<Json>> asked = new LinkedHashMap<>();
    requests.values().forEach(request -> noteVisit(session, request));
    requests.forEach((key, request) -> asked.put(
        key,
        session
            .channel()
            .ask(call, request.method(), request.params(revision()))
            .toCompletableFuture()));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
        .thenApply(all -> {
          Map<String, Json> answers = new LinkedHashMap<>();
          asked.forEach((key, answer) -> answers.put(key, answer.join()));
          return answers;
        });
  }

  private static void noteVisit(ServerSession session, InputRequest request) {
    if (request instanceof Elicitation page && page.id() != null) {
      session.sentTo(page.id());
    }
  }

  /**
   * Requires the user to visit pages before the call can be served (elicitation in URL mode). In
   * 2026-07-28 the client is {@linkplain #ask asked}, and this method returns when the user has
   * agreed; the handler has to find out itself whether the user finished. In 2025-11-25 the call
   * fails with -32042, and the client may repeat it later. In earlier revisions the call fails with
   * a sentence that names the pages.
   *
   * @param pages made by {@link Elicitation#url}
   * @throws RpcException -32042 in 2025-11-25; in 2026-07-28 an error of {@link #ask}
   * @throws ToolException if the user did not agree, and in revisions before 2025-11-25
   */
  public void requireUrlElicitation(Elicitation... pages) {
    if (revision().isStateless()) {
      Map<String, Elicitation> asked = new LinkedHashMap<>();
      for (Elicitation page : pages) {
        asked.put(Objects.requireNonNull(page.id()), page);
      }
      ask(asked).forEach((key, answer) -> requireAgreement(key, answer));
    } else if (revision() == Revision.V2025_11_25) {
      for (Elicitation page : pages) {
        noteVisit(session, page);
      }
      throw McpError.urlRequired(pages);
    } else {
      throw new ToolException("The user has to visit a page first: "
          + Arrays.stream(pages)
              .map(page -> String.valueOf(page.url()))
              .collect(java.util.stream.Collectors.joining(", ")));
    }
  }

  private static void requireAgreement(String key, Json json) {
    Elicitation.Answer answer = read(key, json, Elicitation.Answer::of);
    if (!answer.isAccepted()) {
      throw answer.declined();
    }
  }

  /**
   * Runs an action once for this request, however often the handler runs. Its value is part of the
   * sealed request state, which the client sends back in the next round. The action should be
   * short, because it runs under a lock of this call.
   *
   * @param key a key of the handler's choice that no {@link #ask} uses
   * @param what the action; {@link Json#of} must be able to write its value
   * @return the value of the first run
   */
  public Json once(String key, Supplier<?> what) {
    return roundState.once(key, what);
  }
}
