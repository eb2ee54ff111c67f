package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.Cancellation;
import dev.repartee.FrameResponder;
import dev.repartee.RpcException;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The run of a tool call that may become a task. The engine runs an inner copy of the request and
 * passes its response to this {@link FrameSink}. The outer request, from the client, waits for
 * {@code answer}.
 *
 * <pre>
 *             detach()            response
 *   attached ----------> detached ----------> over
 *       |                                      ^
 *       +---- response, or outer cancelled ----+
 * </pre>
 *
 * While attached, the response of the inner request answers the outer request, and cancelling the
 * outer request cancels the inner request. {@link #detach} answers the outer request with the task
 * handle; after that, the response of the inner request ends the task. Thread-safe.
 */
final class TaskRun implements FrameSink {
  /** The attribute of an inner request that contains its run. */
  static final Attribute<TaskRun> KEY = Attribute.named("MCP task run");

  private final McpServer server;
  private final Tool tool;
  private final Id id;
  private final @Nullable Principal principal;
  private final Cancellation cancellation;
  private final CompletableFuture<JsonObjectBuilder> answer = new CompletableFuture<>();

  // Written under the lock of this object; the volatile fields are read without it.

  /**
   * The outer request. Null once it was answered with the task handle: otherwise its params would
   * stay in memory twice, there and in the inner request.
   */
  private volatile @Nullable McpCall asked;

  private volatile @Nullable Task task;
  private FrameResponder.@Nullable InFlightFrame served;
  private boolean stopped;
  private boolean over;

  /** Creates the run of an outer request that calls {@code tool}. */
  TaskRun(McpCall asked, Tool tool, McpServer server) {
    this.asked = asked;
    this.tool = tool;
    this.server = server;
    this.id = Objects.requireNonNull(asked.call().id());
    this.principal = asked.principal();
    this.cancellation = asked.cancellation();
  }

  /** Sends a notification for the outer request, unless it was answered. */
  void tell(String method, Json params) {
    McpCall carrier = asked;
    if (carrier != null) {
      carrier.call().notify(method, params);
    }
  }

  /** Returns the task; null while the run is attached. */
  @Nullable Task task() {
    return task;
  }

  /** Runs the inner request. Completes with the answer to the outer request. */
  CompletionStage<JsonObjectBuilder> serve(FrameResponder responder) {
    Call call = Objects.requireNonNull(asked).call();
    byte[] frame = JsonRpc.write(new Request(id, call.method(), call.params()));
    // Without the outer MCP call, which the inner request would keep in memory.
    Attributes attributes = call.attributes().without(McpCall.KEY).with(KEY, this);
    FrameResponder.InFlightFrame exchanged =
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

  /**
   * Drops the reference to the outer request once the run is detached and the inner request has
   * started.
   */
  private void release() {
    if (task != null && served != null) {
      asked = null;
    }
  }

  /**
   * Detaches the run: creates the task, and answers the outer request with its handle.
   *
   * @throws RpcException -31000 if there are too many tasks
   * @throws CancellationException if the outer request was cancelled
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

  /**
   * Cancels the inner request because the outer request was cancelled, unless the run is detached.
   */
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
    FrameResponder.InFlightFrame running;
    synchronized (this) {
      stopped = true;
      running = served;
    }
    if (running != null) {
      running.abandon();
    }
  }

  /** Ends the run. Returns its task, or null if it was still attached. */
  private synchronized @Nullable Task end() {
    over = true;
    return task;
  }

  /** The handler has ended and its response, if any, was committed. */
  private void done() {
    Task known = end();
    stop(); // removes the timer of the handler timeout
    if (known != null) {
      server.tasks().ended();
    } else {
      answer.cancel(false); // no effect if the outer request was answered
    }
  }

  // ---------------------------------------------------------------- response of the inner request

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(server.settings().options().limits().frameBytes());
  }

  @Override
  public void commit(OutboundFrame frame) {
    Response response = (Response) JsonRpc.read(frame.toBytes()).get(0);
    Task known = end();
    if (known != null) {
      known.finish(response);
    } else if (response.error() != null) {
      answer.completeExceptionally(new RpcException(response.error()));
    } else {
      answer.complete(JsonObjectBuilder.of(response.result()));
    }
  }

  @Override
  public void abort(Throwable cause) {
    Task known = end();
    if (known != null) {
      known.finish(Response.of(id, new RpcError(RpcError.INTERNAL_ERROR, "Internal error")));
    } else {
      answer.completeExceptionally(cause);
    }
  }
}
