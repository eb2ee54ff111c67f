package dev.repartee.lsp;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.types.LogMessageParams;
import dev.repartee.lsp.types.MessageType;
import dev.repartee.message.RpcError;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The lifecycle of a server on one connection: which messages are handled, and the exit code.
 *
 * <p>{@code initialize} and {@code shutdown} run in the ordered lane; every later message therefore
 * sees the state that they have set.
 */
final class Lifecycle implements Layer {
  /** The answer to a request whose progress the client has cancelled. */
  static final RpcError CANCELLED = new RpcError(RpcError.CANCELLED, "Request cancelled");

  private static final int NOT_INITIALIZED = -32002;
  private static final int LONGEST_REASON = 1_000;

  private enum State {
    NEW,
    INITIALIZING,
    RUNNING,
    SHUT_DOWN
  }

  private final Object server;
  private final Service service;
  private final boolean watchesClient;
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

  /** Written under the lock of this. */
  private volatile State state = State.NEW;

  // Written in the ordered lane, where initialize runs.
  private volatile @Nullable LspSession session;
  private volatile long clientProcess;

  /** The process that is watched; guarded by this. */
  private long watched;

  /**
   * Creates the lifecycle of a connection.
   *
   * @param service the methods of the server
   * @param watchesClient whether the server ends with the process of its client, which runs on the
   *     same machine
   */
  Lifecycle(Object server, Service service, boolean watchesClient) {
    this.server = server;
    this.service = service;
    this.watchesClient = watchesClient;
  }

  /**
   * Returns the exit code, which is known when the client has sent {@code exit} or has
   * disconnected.
   */
  CompletableFuture<Integer> exitCode() {
    return exitCode;
  }

  /**
   * Reports that the connection, or the client, has ended; without {@code exit} before, this is an
   * error.
   */
  void disconnected() {
    exitCode.complete(1);
  }

  /**
   * Ends the server when that process ends. A process that is not visible here is not watched.
   * Returns false if it is watched already: each watch needs memory until the process ends.
   */
  synchronized boolean watch(long pid) {
    if (pid <= 0 || pid == watched || pid == ProcessHandle.current().pid()) {
      return false;
    }
    watched = pid;
    ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .ifPresent(process -> process.onExit().thenRun(this::disconnected));
    return true;
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
          if (!isOptional(call.method())) {
            requireRunning();
          }
          yield next.handle(call);
        }
        yield state == State.RUNNING ? notification(call, next) : null; // dropped
      }
    };
  }

  /** Returns whether LSP requires the answer -32601 to a request in every state. */
  private boolean isOptional(String method) {
    return method.startsWith("$/") && service.find(method) == null;
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
      connect(call);
      handled = true;
    } finally {
      if (!handled) {
        change(State.NEW);
      }
    }
    return Layer.whenDone(
        call, next, (result, failure) -> change(failure == null ? State.RUNNING : State.NEW));
  }

  private void connect(Call call) {
    LspSession connected = new LspSession(call.peer(), call.params());
    session = connected;
    Json pid = LspSession.member(call.params(), "processId");
    try {
      clientProcess = pid == null || pid.kind() != Json.Kind.NUMBER ? 0 : pid.as(long.class);
    } catch (JsonException e) {
      clientProcess = 0; // the handler refuses it
    }
    if (server instanceof LanguageClientAware aware) {
      aware.connect(connected.client());
    }
    if (server instanceof LspSessionAware aware) {
      aware.connect(connected);
    }
  }

  private @Nullable Object notification(Call call, Handler next) throws Exception {
    LspSession connected = session;
    if (connected != null) {
      switch (call.method()) {
        case "initialized" -> {
          if (watchesClient) {
            watch(clientProcess); // now, since it would have delayed the answer
          }
        }
        case "$/setTrace" -> connected.trace(call.params());
        case "window/workDoneProgress/cancel" -> connected.cancelProgress(call.params());
        default -> {
          // for the handler alone
        }
      }
    }
    try {
      return next.handle(call);
    } catch (RemoteRpcException e) {
      throw e; // of another connection: its text is not for this client
    } catch (RpcException e) {
      explain(call, e);
      throw e;
    }
  }

  /** Tells the client why a notification was refused, since a notification is not answered. */
  private static void explain(Call call, RpcException refusal) {
    Json data = refusal.error().data();
    String detail = data == null ? null : data.string();
    String why =
        call.method() + ": " + refusal.error().message() + (detail == null ? "" : ": " + detail);
    String shown = why.length() <= LONGEST_REASON ? why : why.substring(0, LONGEST_REASON) + "...";
    try {
      call.peer()
          .request("window/logMessage")
          .params(new LogMessageParams(MessageType.ERROR, shown))
          .tryNotify();
    } catch (RuntimeException e) {
      // The client has disconnected; the listener receives the refusal.
    }
  }

  private @Nullable Object exit(Call call, Handler next) throws Exception {
    try {
      return next.handle(call);
    } finally {
      exitCode.complete(state == State.SHUT_DOWN ? 0 : 1);
      call.peer().close();
    }
  }

  private void requireRunning() {
    switch (state) {
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

  private synchronized void change(State next) {
    state = next;
  }
}
