package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.CallView;
import dev.repartee.Cancellation;
import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.RpcException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client as handlers see it: who asks, and what can be said to the client before the
 * answer. The same in all revisions. Thread-safe.
 *
 * <p>Where a handler {@linkplain #ask asks} the client for something, it is run again from its start
 * in a stateless revision, once the client has answered: what it did before has to be repeatable, or
 * stand in {@link #once}.
 */
public final class McpCall implements CallView {
  private static final String KEY = McpCall.class.getName();

  private final Call call;
  private final @Nullable Session session;
  private final Revision revision;
  private final Implementation client;
  private final ClientCapabilities capabilities;
  private final @Nullable Json progressToken;
  private final @Nullable LogLevel level;
  private final Inputs inputs;
  private final @Nullable TaskRun run;
  private double lastProgress = Double.NEGATIVE_INFINITY; // guarded by this

  /**
   * @param session where there was a handshake, null where the call stands for itself
   * @param level from which level on the client wants to see the log, null for not at all
   */
  McpCall(
      Call call,
      @Nullable Session session,
      Revision revision,
      Implementation client,
      ClientCapabilities capabilities,
      @Nullable Json progressToken,
      @Nullable LogLevel level,
      Inputs inputs) {
    this.call = call;
    this.session = session;
    this.revision = revision;
    this.client = client;
    this.capabilities = capabilities;
    this.progressToken = progressToken;
    this.level = level;
    this.inputs = inputs;
    this.run = (TaskRun) call.attributes().get(TaskRun.KEY);
    call.attributes().put(KEY, this);
  }

  /**
   * What a {@link Call} is here: for layers, and for what a tool calls that knows only that.
   *
   * @throws IllegalStateException if it came by another protocol
   */
  public static McpCall of(Call call) {
    if (call.attributes().get(KEY) instanceof McpCall known) {
      return known;
    }
    throw new IllegalStateException("'" + call.method() + "' was not called by way of MCP");
  }

  /** The call as the engine has it. */
  public Call call() {
    return call;
  }

  /** The revision that is spoken. */
  public Revision revision() {
    return revision;
  }

  /** What the client says of itself, which nobody verifies. */
  public Implementation client() {
    return client;
  }

  /** What the client declares that it can do. */
  public ClientCapabilities capabilities() {
    return capabilities;
  }

  /** In whose name the request was made; null where the server is not protected. */
  public @Nullable Principal principal() {
    return (Principal) call.attributes().get(Principal.KEY);
  }

  /** Whether the call is still wanted. */
  public Cancellation cancellation() {
    return call.cancellation();
  }

  /** What a handler throws where the resource of that URI is not there. */
  public RpcException notFound(String uri) {
    return new RpcException(
        revision.isStateless() ? dev.repartee.RpcError.INVALID_PARAMS : McpError.RESOURCE_NOT_FOUND,
        "Resource not found: " + uri,
        new Members().put("uri", uri).json());
  }

  @Nullable Session session() {
    return session;
  }

  Inputs inputs() {
    return inputs;
  }

  // ---------------------------------------------------------------- tasks

  /**
   * From here on the call is a task, where the client takes tasks and the tool is {@linkplain
   * Tool.Builder#detaching made for that}: the request is answered now with a handle of it, and the
   * handler goes on. Does nothing elsewhere, or where it is one already.
   *
   * @throws RpcException -31000 if the server has too many
   * @throws java.util.concurrent.CancellationException if the request was cancelled
   */
  public void detach() {
    if (run != null) {
      run.detach();
    }
  }

  /** Whether the client takes tasks as answers. */
  boolean takesTasks() {
    return revision.isStateless() && capabilities.extension(Tasks.EXTENSION) != null;
  }

  /** Throws -32021 unless the client takes tasks. */
  void requireTasks() {
    if (!takesTasks()) {
      throw McpError.missing(Tasks.CAPABILITY);
    }
  }

  /** Whether this is the call of a tool that another, which came in, is served by. */
  boolean isRunAgain() {
    return run != null;
  }

  /** The task that this is; null as long as it is none. */
  private @Nullable Task task() {
    return run == null ? null : run.task();
  }

  /** Says something before the answer, by the request that came in. */
  private void tell(String method, Json params) {
    if (run == null) {
      call.notify(method, params);
    } else {
      run.tell(method, params);
    }
  }

  /** Removes what {@link #of} finds from the attributes of a call. */
  static void removeFrom(Map<String, Object> attributes) {
    attributes.remove(KEY);
  }

  // ---------------------------------------------------------------- what is told before the answer

  /** Tells how far the call is, where the client wants to know; see the other. */
  public void progress(double progress, double total) {
    progress(progress, total, null);
  }

  /**
   * Tells how far the call is, where the client wants to know. What is not more than what was told
   * before is dropped, as the protocol has it, and so is what comes after the answer.
   *
   * @param total what it will come to, or null where that is not known
   * @param message what is being done, or null
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
        new Members()
            .put("progressToken", progressToken)
            .put("progress", number(progress))
            .put("total", total == null ? null : number(total))
            .put("message", revision.isAtLeast(Revision.V2025_03_26) ? message : null)
            .json());
  }

  /** A whole number without a fraction, which some readers take for an integer. */
  private static Number number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1L << 53 ? (Number) (long) value : value;
  }

  /** Adds to the log that the client sees, from the level on that it asked for; see the other. */
  public void log(LogLevel level, Object data) {
    log(level, null, data);
  }

  /**
   * Adds to the log that the client sees, from the level on that it asked for: in 2026-07-28 only where
   * the request says one.
   *
   * @param logger which part says it, or null
   * @param data a text or anything else that {@link Json#of} can write; never a secret
   */
  public void log(LogLevel level, @Nullable String logger, Object data) {
    if (this.level != null && level.compareTo(this.level) >= 0 && task() == null) {
      tell(
          "notifications/message",
          new Members()
              .put("level", level.label())
              .put("logger", logger)
              .put("data", Json.of(data))
              .json());
    }
  }

  /**
   * Lets go of the connection that carries what this call says, where it is a stream of HTTP that the
   * client can come back to (2025-11-25); the client does so after that time, and finds what was said
   * meanwhile. Does nothing elsewhere.
   */
  public void letGo(Duration retry) {
    if (call.attributes().get(Resumable.KEY) instanceof Resumable stream) {
      stream.letGo(retry);
    }
  }

  // ---------------------------------------------------------------- what is asked of the client

  /**
   * Asks the user something and waits; see {@link #ask}.
   *
   * @throws RpcException if the client cannot, or answers an error
   */
  public Elicitation.Answer elicit(String key, Elicitation what) {
    return answer(key, what, Elicitation.Answer::of);
  }

  /**
   * Has the client's model answer, and waits; see {@link #ask}.
   *
   * @throws RpcException if the client cannot, or answers an error
   */
  public Sampling.Answer sample(String key, Sampling what) {
    return answer(key, what, Sampling.Answer::of);
  }

  /**
   * Asks for what the client works on, and waits; see {@link #ask}.
   *
   * @throws RpcException if the client cannot, or answers an error
   */
  public List<Root> roots(String key) {
    return answer(key, new RootsRequest(), McpCall::rootsIn);
  }

  /** What an answer to {@link RootsRequest} says. */
  public static List<Root> rootsIn(Json answer) {
    Json roots = answer.get("roots");
    return roots == null
        ? List.of()
        : roots.elements().stream().map(Fields::of).map(Root::of).toList();
  }

  private <T> T answer(String key, InputRequest what, java.util.function.Function<Json, T> form) {
    return read(key, Objects.requireNonNull(ask(Map.of(key, what)).get(key)), form);
  }

  private static <T> T read(String key, Json answer, java.util.function.Function<Json, T> form) {
    try {
      return form.apply(answer);
    } catch (RpcException | JsonException e) {
      throw Fields.invalid("the client's answer to '" + key + "' does not fit: " + e.getMessage());
    }
  }

  /**
   * Asks the client for all of that at once, and waits for the answers: for as long as {@link
   * McpServer.Builder#inputTimeout} at most. In a stateless revision this ends the handler, which is
   * run again from its start when the client has answered; the call that asked before finds the
   * answers then. What is a {@linkplain #detach task} by then waits in both.
   *
   * @param requests by keys of the handler's own, which are the same each time it runs
   * @return the answers as they came, by the same keys
   * @throws RpcException -32021 if the client has not declared that it can (a {@link ToolException}
   *     before 2026-07-28), and what it answers as error
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

  /** The same without waiting: what is thrown there, this completes with. */
  public CompletionStage<Map<String, Json>> askAsync(Map<String, ? extends InputRequest> requests) {
    try {
      requests.values().forEach(this::requireTaken);
      return session == null ? inputs.take(requests, this::askMore) : askAll(session, requests);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void requireTaken(InputRequest request) {
    if (!request.isTakenBy(capabilities)) {
      throw revision.isStateless()
          ? McpError.missing(request.capability())
          : new ToolException("This client has not declared that it can do '" + request.method()
              + "', which this needs");
    }
  }

  /** Has the client asked by the task, or by the answer to the request, which ends the handler. */
  private CompletionStage<Map<String, Json>> askMore(Map<String, InputRequest> requests) {
    Task task = task();
    return task == null
        ? CompletableFuture.failedStage(new InputRequired(requests))
        : task.ask(requests);
  }

  private CompletionStage<Map<String, Json>> askAll(
      Session session, Map<String, ? extends InputRequest> requests) {
    Map<String, CompletableFuture<Json>> asked = new LinkedHashMap<>();
    requests.values().forEach(request -> noteVisit(session, request));
    requests.forEach((key, request) -> asked.put(
        key,
        session
            .line()
            .ask(this, request.method(), request.params(revision))
            .toCompletableFuture()));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
        .thenApply(all -> {
          Map<String, Json> answers = new LinkedHashMap<>();
          asked.forEach((key, answer) -> answers.put(key, answer.join()));
          return answers;
        });
  }

  private static void noteVisit(Session session, InputRequest request) {
    if (request instanceof Elicitation page && page.id() != null) {
      session.sentTo(page.id());
    }
  }

  /**
   * Has the user visit pages before the call can be served. In 2026-07-28 the client is {@linkplain
   * #ask asked} for it and the call goes on when the user has agreed; whether they did what they should
   * is for the handler to look up. In 2025-11-25 the call fails with -32042 and the client tries again
   * later; clients of earlier revisions are told in words.
   *
   * @param pages made by {@link Elicitation#url}
   * @throws RpcException where the client is to try again, or cannot be asked
   * @throws ToolException if the user did not agree
   */
  public void requireVisits(Elicitation... pages) {
    if (revision.isStateless()) {
      Map<String, Elicitation> asked = new LinkedHashMap<>();
      for (Elicitation page : pages) {
        asked.put(Objects.requireNonNull(page.id()), page);
      }
      ask(asked).forEach((key, answer) -> requireAgreement(key, answer));
    } else if (session != null && revision == Revision.V2025_11_25) {
      for (Elicitation page : pages) {
        noteVisit(session, page);
      }
      throw McpError.urlRequired(pages);
    } else {
      throw new ToolException("The user has to visit a page first: "
          + java.util.Arrays.stream(pages)
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
   * Does something once for this request, however often its handler is run: what it came to is kept,
   * sealed, with what the client repeats.
   *
   * @param key a key of the handler's own, that no {@link #ask} has
   * @param what what to do; its value has to be one that {@link Json#of} can write
   */
  public Json once(String key, Supplier<?> what) {
    return inputs.once(key, what);
  }
}
