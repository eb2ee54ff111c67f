package dev.repartee.mcp;

import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.mcp.state.RandomIds;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
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
 * A tool call that continues after its request was answered with a task handle, as the client sees
 * it.
 *
 * <pre>
 *   working ----> completed, failed, cancelled
 *    |   ^          ^
 *    v   |          |
 *   input_required -+
 * </pre>
 *
 * The last three states are final. Thread-safe. The lock of this object guards all fields that
 * change, except {@code untold}. Handlers, clients and listeners are not called while it is held.
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

  /** A pending request to the client, and the future of its answer. */
  private record Asked(InputRequest request, CompletableFuture<Json> answer) {}

  /** The interval at which clients should poll. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final String id = RandomIds.name();
  private final MemoryBudget.Share share = TaskStore.RESULTS.share(0);
  private final TaskStore store;
  private final Tool tool;
  private final @Nullable Principal principal;
  private final Instant createdAt;

  /**
   * Cancels the handler. Replaced by a no-op when the task ends; otherwise the finished task would
   * keep its request in memory.
   */
  private Runnable stop;

  private Instant updatedAt;
  private Status status = Status.WORKING;
  private @Nullable String message;
  private @Nullable Json result;
  private @Nullable Json error;
  private final Map<String, Asked> asked = new LinkedHashMap<>();

  /** The number of changes that are not reported yet; see {@link #changed}. */
  private final AtomicInteger untold = new AtomicInteger();

  /**
   * @param tool the tool that was called
   * @param principal the owner of the task; null if the server is not protected
   * @param stop cancels the handler
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

  // ---------------------------------------------------------------- called by the handler

  /** Sets the status message. */
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
   * Asks the client for input, and completes with all answers. A key with a pending request is not
   * asked again. Fails with {@link ToolException} if an answer does not arrive in time, and with
   * {@link CancellationException} if the task ends.
   */
  CompletionStage<Map<String, Json>> ask(Map<String, InputRequest> requests) {
    Duration timeout = store.server().settings().inputTimeout();
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
    // On another thread: the thread that delivers an answer must not run the handler.
    return all.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .handleAsync(
            (done, failure) -> {
              if (failure instanceof java.util.concurrent.TimeoutException) {
                withdraw(answers.keySet());
                throw new ToolException("The client has not answered within " + timeout.toMillis()
                    + " ms: " + String.join(", ", answers.keySet()));
              } else if (failure != null) {
                throw over();
              }
              Map<String, Json> given = new LinkedHashMap<>();
              answers.forEach((key, answer) -> given.put(key, answer.join()));
              return given;
            },
            Threads.CALLS);
  }

  private void withdraw(java.util.Set<String> keys) {
    synchronized (this) {
      asked.keySet().removeAll(keys);
      resume();
    }
    changed();
  }

  private static CancellationException over() {
    return new CancellationException("the task has ended");
  }

  /** Ends the task with the response of the handler. */
  void finish(Response response) {
    RpcError failure = response.error();
    if (failure == null) {
      end(Status.COMPLETED, null, Objects.requireNonNull(response.result()), null);
    } else {
      end(Status.FAILED, failure.message(), null, Errors.json(failure));
    }
  }

  // ---------------------------------------------------------------- called for the client

  /**
   * Accepts answers of the client. Answers without a pending request are ignored.
   *
   * @throws RpcException -32602 if an answer does not fit its request; then all answers are ignored
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
      throw JsonObjectReader.invalid(
          "inputResponses." + key + ": the answer does not fit the request: " + e.getMessage());
    }
  }

  /** Deletes the task: cancels it if it runs, and releases the memory of its result. */
  void forget() {
    cancel("Its time has passed");
    share.hold(0);
  }

  /** Cancels the task and its handler, unless the task has ended. */
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
        RpcError crowded = Errors.busy("taskResultBytes", TaskStore.RESULTS.max());
        become(Status.FAILED);
        this.message = "There is no memory left for the result";
        this.error = Errors.json(crowded);
      }
      unanswered = new LinkedHashMap<>(asked);
      asked.clear();
    }
    changed();
    unanswered.values().forEach(each -> each.answer().cancel(false));
    return true;
  }

  // ---------------------------------------------------------------- reports

  /**
   * Notifies subscribers of the current state, from one thread at a time. If another thread is
   * already notifying, this method adds its change to {@code untold} and returns; the other thread
   * then notifies again. As a result, threads do not wait for each other, and an older state never
   * follows a newer state.
   */
  void changed() {
    if (untold.getAndIncrement() > 0) {
      return;
    }
    int told = 1;
    while (told > 0) {
      int upTo = untold.get();
      store.server().subscribers().changed(this);
      told = untold.addAndGet(-upTo);
    }
  }

  /** Returns the task handle, the result of the request that created the task. */
  synchronized JsonObjectBuilder handle() {
    return new JsonObjectBuilder()
        .put("taskId", id)
        .put("status", status.label)
        .put("statusMessage", message)
        .put("createdAt", createdAt.toString())
        .put("lastUpdatedAt", updatedAt.toString())
        .put("ttlMs", store.server().settings().taskTime().toMillis())
        .put("pollIntervalMs", POLL_INTERVAL.toMillis());
  }

  /** Returns the handle with the result, the error or the pending requests. */
  synchronized JsonObjectBuilder details() {
    JsonObjectBuilder requests = new JsonObjectBuilder();
    asked.forEach(
        (key, each) -> requests.put(key, InputRequired.form(each.request(), Revision.V2026_07_28)));
    return handle()
        .put("inputRequests", status == Status.INPUT_REQUIRED ? requests.build() : null)
        .put("result", result)
        .put("error", error);
  }
}
