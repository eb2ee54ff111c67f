package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.Cancellation;
import dev.repartee.Id;
import dev.repartee.Json;
import dev.repartee.JsonRpc;
import dev.repartee.Outlet;
import dev.repartee.Output;
import dev.repartee.Request;
import dev.repartee.Responder;
import dev.repartee.Response;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool that may become a task: the request is served once more, beside the one that came in
 * and that waits for it. Until it is a task the two end together. Once it is, the one that came in has
 * been answered, and this goes on without it. Thread-safe.
 */
final class TaskRun implements Outlet {
  /** Where a call that is served once more finds this. */
  static final String KEY = "dev.repartee.mcp.run";

  private final McpServer server;
  private final Tool tool;
  private final Id id;
  private final @Nullable Principal principal;
  private final Cancellation cancellation;
  private final CompletableFuture<Members> answer = new CompletableFuture<>();

  // Written under this.

  /**
   * The request that came in. Null once it was answered with the handle of the task: its params are
   * those of this run too, and would be kept twice.
   */
  private volatile @Nullable McpCall asked;

  private volatile @Nullable Task task;
  private Responder.@Nullable Exchanged served;
  private boolean stopped;
  private boolean over;

  /** The run of that request, which calls that tool. */
  TaskRun(McpCall asked, Tool tool, McpServer server) {
    this.asked = asked;
    this.tool = tool;
    this.server = server;
    this.id = Objects.requireNonNull(asked.call().id());
    this.principal = asked.principal();
    this.cancellation = asked.cancellation();
  }

  /** Says something before the request that came in is answered; says nothing afterwards. */
  void tell(String method, Json params) {
    McpCall carrier = asked;
    if (carrier != null) {
      carrier.call().notify(method, params);
    }
  }

  /** The task that it is; null as long as it is none. */
  @Nullable Task task() {
    return task;
  }

  /** Serves it, and completes with the answer to the request that came in. */
  CompletionStage<Members> serve(Responder.OneWay responder) {
    Call call = Objects.requireNonNull(asked).call();
    byte[] frame = JsonRpc.write(new Request(id, call.method(), call.params()));
    Map<String, Object> attributes = new HashMap<>(call.attributes());
    McpCall.removeFrom(attributes); // or this run would keep the one that came in
    attributes.put(KEY, this);
    Responder.Exchanged exchanged =
        responder.of(call.channel(), attributes).serve(frame, 0, frame.length, this);
    boolean late;
    synchronized (this) {
      served = exchanged;
      late = stopped;
      release();
    }
    if (late) {
      exchanged.abandon();
    }
    exchanged.whenDone(this::done);
    cancellation.onCancel(this::left);
    return answer;
  }

  /** Lets go of the request that came in, once this is a task and was served. */
  private void release() {
    if (task != null && served != null) {
      asked = null;
    }
  }

  /**
   * Makes a task of it: answers the request that came in.
   *
   * @throws RpcException if there are too many
   * @throws CancellationException if that request was cancelled
   */
  void detach() {
    if (task != null) {
      return;
    }
    Task made = server.tasks().create(tool, principal, this::stop);
    boolean taken;
    synchronized (this) {
      taken = task == null && !stopped && !over;
      task = taken ? made : task;
      release();
    }
    if (taken) {
      answer.complete(made.handle().put("resultType", "task"));
    } else {
      server.tasks().drop(made);
      cancellation.throwIfCancelled();
    }
  }

  /** The client does not wait for the request that came in any more. */
  private void left() {
    synchronized (this) {
      if (task != null) {
        return;
      }
      stopped = true;
    }
    stop();
  }

  private void stop() {
    Responder.Exchanged running;
    synchronized (this) {
      stopped = true;
      running = served;
    }
    if (running != null) {
      running.abandon();
    }
  }

  /** The handler has ended, and nothing more is said. */
  private void done() {
    Task known;
    synchronized (this) {
      over = true;
      known = task;
    }
    stop(); // so that nothing watches over its time any more
    if (known != null) {
      server.tasks().ended();
    } else {
      answer.cancel(false); // no effect where it was answered
    }
  }

  // ---------------------------------------------------------------- what it is answered

  @Override
  public Output open() {
    return new Output().limit(server.options().limits().frameBytes());
  }

  @Override
  public void commit(Output frame) {
    Response response = (Response) JsonRpc.read(frame.toBytes()).get(0);
    Task known;
    synchronized (this) {
      over = true;
      known = task;
    }
    if (known != null) {
      known.finish(response);
    } else if (response.error() != null) {
      answer.completeExceptionally(new RpcException(response.error()));
    } else {
      answer.complete(Members.of(response.result()));
    }
  }

  @Override
  public void discard(Output frame) {}

  @Override
  public void breakOff(Throwable cause) {
    Task known;
    synchronized (this) {
      over = true;
      known = task;
    }
    if (known != null) {
      known.finish(Response.of(id, new RpcError(RpcError.INTERNAL_ERROR, "Internal error")));
    } else {
      answer.completeExceptionally(cause);
    }
  }
}
