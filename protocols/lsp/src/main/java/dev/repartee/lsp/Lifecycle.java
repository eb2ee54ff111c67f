package dev.repartee.lsp;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.lsp.handlers.LanguageClient;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The lifecycle of a server on one connection: which messages are handled, and the exit code.
 *
 * <p>{@code initialize} and {@code shutdown} run in the ordered lane, so every later message finds
 * the state that they have left.
 */
final class Lifecycle implements Layer {
  private static final int NOT_INITIALIZED = -32002;

  private enum State {
    NEW,
    INITIALIZING,
    RUNNING,
    SHUT_DOWN
  }

  private final Object server;
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

  /** Guarded by this. */
  private State state = State.NEW;

  Lifecycle(Object server) {
    this.server = server;
  }

  /** Returns the exit code, which is known when the client has sent {@code exit} or is gone. */
  CompletableFuture<Integer> exitCode() {
    return exitCode;
  }

  /** Reports that the connection has ended; without {@code exit} before, this is an error. */
  void disconnected() {
    exitCode.complete(1);
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    return switch (call.method()) {
      case "initialize" -> initialize(call, next);
      case "shutdown" -> {
        requireRunning();
        yield Layer.whenDone(call, next, (result, failure) -> {
          if (failure == null) {
            change(State.SHUT_DOWN);
          }
        });
      }
      case "exit" -> exit(call, next);
      default -> {
        if (call.id() != null) {
          requireRunning();
        } else if (current() != State.RUNNING) {
          yield null; // dropped
        }
        yield next.handle(call);
      }
    };
  }

  private @Nullable Object initialize(Call call, Handler next) throws Exception {
    synchronized (this) {
      if (state != State.NEW) {
        throw new RpcException(
            RpcError.INVALID_REQUEST, "the server is initialized already; connect anew");
      }
      state = State.INITIALIZING;
    }
    boolean handled = false;
    try {
      if (server instanceof LanguageClientAware aware) {
        aware.connect(call.peer().proxy(LanguageClient.class));
      }
      handled = true;
    } finally {
      if (!handled) {
        change(State.NEW);
      }
    }
    return Layer.whenDone(
        call, next, (result, failure) -> change(failure == null ? State.RUNNING : State.NEW));
  }

  private @Nullable Object exit(Call call, Handler next) throws Exception {
    try {
      return next.handle(call);
    } finally {
      exitCode.complete(current() == State.SHUT_DOWN ? 0 : 1);
      call.peer().close();
    }
  }

  private void requireRunning() {
    switch (current()) {
      case NEW, INITIALIZING ->
        throw new RpcException(
            NOT_INITIALIZED, "Server not initialized; send initialize and wait for its answer");
      case SHUT_DOWN ->
        throw new RpcException(RpcError.INVALID_REQUEST, "the server is shut down; send exit");
      case RUNNING -> {
        // as required
      }
    }
  }

  private synchronized State current() {
    return state;
  }

  private synchronized void change(State next) {
    state = next;
  }
}
