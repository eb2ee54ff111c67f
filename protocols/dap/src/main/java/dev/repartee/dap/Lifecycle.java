package dev.repartee.dap;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The order of a session of an adapter, on one connection.
 *
 * <p>{@code initialize} and {@code configurationDone} run in the ordered lane; every later request
 * therefore sees their state changes.
 */
final class Lifecycle implements Layer {
  /** The requests that must be answered before the debuggee stops or ends because of them. */
  private static final Set<String> RESUMING = Set.of(
      "configurationDone",
      "continue",
      "next",
      "stepIn",
      "stepOut",
      "stepBack",
      "reverseContinue",
      "restartFrame",
      "goto",
      "pause",
      "terminate",
      "disconnect");

  private enum State {
    NEW,
    INITIALIZING,
    READY
  }

  private final Object adapter;
  private final EventOrder events = new EventOrder();
  private final Map<String, Progress> cancellable = new ConcurrentHashMap<>();

  // Guarded by this.

  private State state = State.NEW;

  /** Whether the answer to launch no longer has to wait. */
  private boolean configured;

  /** The answer to launch or attach; null if neither was sent. */
  private @Nullable CompletableFuture<@Nullable Object> answer;

  /** The result of launch or attach, once {@link #started}. */
  private @Nullable Object result;

  private boolean started;

  Lifecycle(Object adapter) {
    this.adapter = adapter;
  }

  /** Returns the options of a session with this order. */
  Options in(Options options) {
    return options.toBuilder()
        .dialect(DapSession.cancelling(options.dialect(), cancellable))
        .layer(this)
        .callLayer(events)
        .build();
  }

  @Override
  public @Nullable Object handle(Call call, Handler handler) throws Exception {
    Handler next = given -> readable(given, handler);
    if (call.id() == null) {
      return null; // clients send no events
    } else if (call.method().equals("initialize")) {
      return initialize(call, next);
    }
    requireReady(call.method());
    AtomicBoolean done = new AtomicBoolean();
    if (call.method().equals("configurationDone")) {
      call.afterAnswer(() -> {
        if (done.get()) {
          configured(); // first: events must follow the answer to launch
        }
      });
    }
    if (RESUMING.contains(call.method())) {
      events.resuming();
      call.afterAnswer(events::resumed);
    }
    return switch (call.method()) {
      case "launch", "attach" -> start(call, next);
      case "configurationDone" ->
        Layer.whenDone(call, next, (result, failure) -> done.set(failure == null));
      case "disconnect" -> {
        endStart();
        call.afterAnswer(() -> call.peer().close());
        yield next.handle(call);
      }
      default -> next.handle(call);
    };
  }

  /** Puts the details of invalid arguments into the message, which is all that clients show. */
  private static @Nullable Object readable(Call call, Handler handler) throws Exception {
    try {
      return handler.handle(call);
    } catch (RpcException e) {
      String detail = e.data() == null ? null : e.data().string();
      if (e.code() != RpcError.INVALID_PARAMS || detail == null) {
        throw e;
      }
      throw DapErrors.error(e.code(), "invalid arguments: " + detail);
    }
  }

  private @Nullable Object initialize(Call call, Handler next) throws Exception {
    synchronized (this) {
      if (state != State.NEW) {
        throw DapErrors.error(
            RpcError.INVALID_REQUEST, "the session is initialized already; connect anew");
      }
      state = State.INITIALIZING;
    }
    call.afterAnswer(() -> {
      if (current() == State.READY) {
        events.initialized();
      } else {
        events.dropHeld();
      }
    });
    Object outcome = Layer.whenDone(
        call,
        given -> {
          if (adapter instanceof DapSessionAware aware) {
            Json params = given.params();
            Json shows = params == null ? null : params.get("supportsProgressReporting");
            aware.connect(new DapSession(given.peer(), cancellable, Json.TRUE.equals(shows)));
          }
          return next.handle(given);
        },
        (result, failure) -> change(failure == null ? State.READY : State.NEW));
    return outcome instanceof CompletionStage<?> stage
        ? stage.thenApply(this::announce)
        : announce(outcome);
  }

  /** Announces {@code cancel}, and records whether the client will send configurationDone. */
  private @Nullable Object announce(@Nullable Object capabilities) {
    if (!(capabilities instanceof Capabilities own)) {
      configured(); // unknown: do not wait for configurationDone
      return capabilities;
    }
    if (!Boolean.TRUE.equals(own.supportsConfigurationDoneRequest())) {
      configured();
    }
    return own.supportsCancelRequest() == null ? own.withSupportsCancelRequest(true) : own;
  }

  /** Handles launch or attach. The answer must follow the answer to configurationDone. */
  private Object start(Call call, Handler next) throws Exception {
    CompletableFuture<@Nullable Object> own = new CompletableFuture<>();
    synchronized (this) {
      if (answer != null && !answer.isDone()) {
        throw DapErrors.error(
            RpcError.INVALID_REQUEST, "the session starts already; send 'configurationDone'");
      }
      answer = own;
      started = false;
    }
    Layer.whenDone(call, next, (outcome, failure) -> {
      if (failure != null) {
        own.completeExceptionally(failure);
        return;
      }
      synchronized (this) {
        if (answer != own) {
          return; // it was cancelled, and another one was sent
        }
        result = outcome;
        started = true;
      }
      answerStart();
    });
    return own;
  }

  private void configured() {
    synchronized (this) {
      configured = true;
    }
    answerStart();
  }

  private void answerStart() {
    CompletableFuture<@Nullable Object> ready;
    Object outcome;
    synchronized (this) {
      if (answer == null || !started || !configured) {
        return;
      }
      ready = answer;
      outcome = result;
    }
    ready.complete(outcome);
  }

  private void endStart() {
    CompletableFuture<@Nullable Object> waiting;
    synchronized (this) {
      waiting = answer;
    }
    if (waiting != null) {
      waiting.completeExceptionally(
          DapErrors.error(RpcError.INVALID_REQUEST, "the session has ended"));
    }
  }

  private synchronized void requireReady(String command) {
    if (state != State.READY) {
      throw DapErrors.error(
          RpcError.INVALID_REQUEST,
          "'" + command + "' is not possible yet; send 'initialize' and wait for its answer");
    }
  }

  private synchronized State current() {
    return state;
  }

  private synchronized void change(State next) {
    state = next;
  }
}
