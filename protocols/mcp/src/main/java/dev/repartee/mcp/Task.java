package dev.repartee.mcp;

import dev.repartee.HeldBytes;
import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.Response;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool that goes on after its request was answered, as the client can look at it.
 *
 * <pre>
 *   working ----> completed, failed, cancelled
 *    |   ^          ^
 *    v   |          |
 *   input_required -+
 * </pre>
 *
 * What has ended stays as it is. Thread-safe: the state is guarded by this, and nothing else is called
 * while that is held.
 */
final class Task {
  private enum Status {
    WORKING,
    INPUT_REQUIRED,
    COMPLETED,
    FAILED,
    CANCELLED;

    final String label = name().toLowerCase(java.util.Locale.ROOT);

    boolean isTerminal() {
      return compareTo(COMPLETED) >= 0;
    }
  }

  /** What the client is asked, and where its answer goes. */
  private record Asked(InputRequest request, CompletableFuture<Json> answer) {}

  /** How often a client that only polls should look. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final String id = Unguessable.name();
  private final HeldBytes.Share share = TaskStore.RESULTS.share(0);
  private final TaskStore store;
  private final Tool tool;
  private final @Nullable Principal principal;
  private final Instant createdAt;

  /** Does nothing once it has ended, so that no more is kept of its request than what it came to. */
  private Runnable stop;

  private Instant updatedAt;
  private Status status = Status.WORKING;
  private @Nullable String message;
  private @Nullable Json result;
  private @Nullable Json error;
  private final Map<String, Asked> asked = new LinkedHashMap<>();

  /** How many changes nobody was told of yet. */
  private final AtomicInteger untold = new AtomicInteger();

  /**
   * @param tool what was called
   * @param principal whose it is
   * @param stop asks the handler to end
   */
  Task(TaskStore store, Tool tool, @Nullable Principal principal, Runnable stop) {
    this.store = store;
    this.tool = tool;
    this.principal = principal;
    this.stop = stop;
    this.createdAt = store.now();
    this.updatedAt = createdAt;
  }

  String id() {
    return id;
  }

  Tool tool() {
    return tool;
  }

  Instant createdAt() {
    return createdAt;
  }

  boolean isOf(@Nullable Principal other) {
    return principal == null
        ? other == null
        : other != null && principal.name().equals(other.name());
  }

  // ---------------------------------------------------------------- what the handler does

  /** Says what is being done. */
  void say(String message) {
    synchronized (this) {
      if (status.isTerminal()) {
        return;
      }
      this.message = message;
      updatedAt = store.now();
    }
    changed();
  }

  /**
   * Asks the client, and completes with its answers. What is asked already is not asked twice;
   * where they have not come in time, it completes with {@link ToolException}.
   */
  CompletionStage<Map<String, Json>> ask(Map<String, InputRequest> requests) {
    Duration timeout = store.server().inputTimeout();
    Map<String, CompletableFuture<Json>> answers = new LinkedHashMap<>();
    synchronized (this) {
      if (status.isTerminal()) {
        return CompletableFuture.failedStage(over());
      }
      requests.forEach((key, request) -> answers.put(
          key,
          asked
              .computeIfAbsent(key, k -> new Asked(request, new CompletableFuture<>()))
              .answer()));
      become(Status.INPUT_REQUIRED);
    }
    changed();
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new));
    // On another thread: whatever the handler goes on with, nobody who answers waits for it.
    return all.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).handleAsync((done, failure) -> {
      if (failure instanceof java.util.concurrent.TimeoutException) {
        withdraw(answers.keySet());
        throw new ToolException("The client has not answered within " + timeout.toMillis() + " ms: "
            + String.join(", ", answers.keySet()));
      } else if (failure != null) {
        throw over();
      }
      Map<String, Json> given = new LinkedHashMap<>();
      answers.forEach((key, answer) -> given.put(key, answer.join()));
      return given;
    });
  }

  private void withdraw(java.util.Set<String> keys) {
    synchronized (this) {
      asked.keySet().removeAll(keys);
      resume();
    }
    changed();
  }

  private static CancellationException over() {
    return new CancellationException("the task is over");
  }

  /** The handler has ended, with what the request would have been answered with. */
  void finish(Response response) {
    RpcError failure = response.error();
    if (failure == null) {
      end(Status.COMPLETED, null, Objects.requireNonNull(response.result()), null);
    } else {
      end(Status.FAILED, failure.message(), null, McpError.json(failure));
    }
  }

  // ---------------------------------------------------------------- what the client does

  /**
   * Takes answers; those to nothing that is asked are left alone.
   *
   * @throws RpcException -32602 if one does not fit what is asked; none is taken then
   */
  void answer(Map<String, Json> responses) {
    Map<CompletableFuture<Json>, Json> answered = new LinkedHashMap<>();
    synchronized (this) {
      responses.forEach(this::check);
      responses.forEach((key, response) -> {
        Asked known = asked.remove(key);
        if (known != null) {
          answered.put(known.answer(), response);
        }
      });
      if (answered.isEmpty()) {
        return;
      }
      resume();
    }
    changed();
    answered.forEach(CompletableFuture::complete);
  }

  private void check(String key, Json response) {
    Asked known = asked.get(key);
    try {
      if (known != null) {
        known.request().check(response);
      }
    } catch (RpcException | JsonException e) {
      throw Fields.invalid(
          "inputResponses." + key + ": it does not fit what is asked: " + e.getMessage());
    }
  }

  /** Nobody will ask for what it came to any more. */
  void forget() {
    cancel("Its time has passed");
    share.hold(0);
  }

  /** Ends it, unless it has ended; the handler is asked to end too. */
  void cancel(String why) {
    Runnable running;
    synchronized (this) {
      running = stop;
    }
    if (end(Status.CANCELLED, why, null, null)) {
      running.run();
    }
  }

  private void resume() {
    if (!status.isTerminal()) {
      become(asked.isEmpty() ? Status.WORKING : Status.INPUT_REQUIRED);
    }
  }

  private void become(Status status) {
    this.status = status;
    updatedAt = store.now();
  }

  private boolean end(
      Status status, @Nullable String message, @Nullable Json result, @Nullable Json error) {
    Map<String, Asked> unanswered;
    synchronized (this) {
      if (this.status.isTerminal()) {
        return false;
      }
      this.stop = () -> {};
      if (result == null || share.hold(result.length())) {
        become(status);
        this.message = message;
        this.result = result;
        this.error = error;
      } else {
        RpcError crowded = McpError.busy("taskResultBytes", TaskStore.RESULTS.max());
        become(Status.FAILED);
        this.message = "There is no room to keep what it came to";
        this.error = McpError.json(crowded);
      }
      unanswered = new LinkedHashMap<>(asked);
      asked.clear();
    }
    changed();
    unanswered.values().forEach(each -> each.answer().cancel(false));
    return true;
  }

  // ---------------------------------------------------------------- what is told

  /**
   * Tells those who listen how it stands. Whoever comes while somebody tells leaves the newer state to
   * them: so nobody waits, and nobody is told an older state after a newer one.
   */
  void changed() {
    if (untold.getAndIncrement() > 0) {
      return;
    }
    int told = 1;
    while (told > 0) {
      int upTo = untold.get();
      store.server().audience().changed(this);
      told = untold.addAndGet(-upTo);
    }
  }

  /** What is said of it when it is created. */
  synchronized Members handle() {
    return new Members()
        .put("taskId", id)
        .put("status", status.label)
        .put("statusMessage", message)
        .put("createdAt", createdAt.toString())
        .put("lastUpdatedAt", updatedAt.toString())
        .put("ttlMs", store.server().taskTime().toMillis())
        .put("pollIntervalMs", POLL_INTERVAL.toMillis());
  }

  /** The same with what it came to, or waits for. */
  synchronized Members details() {
    Members requests = new Members();
    asked.forEach(
        (key, each) -> requests.put(key, InputRequired.form(each.request(), Revision.V2026_07_28)));
    return handle()
        .put("inputRequests", status == Status.INPUT_REQUIRED ? requests.json() : null)
        .put("result", result)
        .put("error", error);
  }
}
