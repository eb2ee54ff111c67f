package dev.repartee;

import dev.repartee.access.AccessException;
import dev.repartee.access.Principal;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves single frames with the methods of a service, independently and in no order, as in HTTP
 * requests. There a handler cannot call back, and {@link Call#peer()} reports that. The transport
 * has to limit the size of a frame and the number of frames that are served in parallel. Immutable
 * and thread-safe.
 */
public final class FrameResponder implements FrameService {
  /**
   * The context of the frame that the current worker serves. Each frame has its own scheduler, and
   * no scheduler knows the workers of all frames.
   */
  private static final ThreadLocal<@Nullable ServerContext> RUNNING = new ThreadLocal<>();

  private final ServerContext context;
  private final ChannelInfo channel;
  private final Attributes attributes;
  private final Executor workers;

  FrameResponder(ServerContext context, ChannelInfo channel, Attributes attributes) {
    this(context, channel, attributes, serving(context, context.options().workers()));
  }

  private static Executor serving(ServerContext context, Executor workers) {
    return task -> workers.execute(() -> run(context, task));
  }

  private FrameResponder(
      ServerContext context, ChannelInfo channel, Attributes attributes, Executor workers) {
    this.context = context;
    this.channel = channel;
    this.attributes = attributes;
    this.workers = workers;
  }

  private static void run(ServerContext context, Runnable task) {
    ServerContext outer = RUNNING.get(); // a handler may serve a frame itself
    RUNNING.set(context);
    try {
      task.run();
    } finally {
      if (outer == null) {
        RUNNING.remove();
      } else {
        RUNNING.set(outer);
      }
    }
  }

  /** Returns whether the calling thread is a worker that serves a frame of any such responder. */
  static boolean anyRunsHere() {
    return RUNNING.get() != null;
  }

  /** Returns whether the calling thread is a worker that serves a frame of this responder. */
  boolean runsHere() {
    return RUNNING.get() == context;
  }

  /**
   * Creates a responder that serves the methods of a service.
   *
   * @param channel the description that {@link Call#channel} and the listener receive
   */
  public static FrameResponder of(Service service, Options options, ChannelInfo channel) {
    return new FrameResponder(new ServerContext(service, options), channel, Attributes.NONE);
  }

  @Override
  public FrameResponder of(ChannelInfo channel, Attributes attributes) {
    return new FrameResponder(context, channel, attributes, workers);
  }

  /** Returns the options. */
  public Options options() {
    return context.options();
  }

  @Override
  public boolean authenticates() {
    return context.admission() != null;
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the options have an authenticator, and the attributes have no {@link Principal}, it is
   * asked first. If it refuses the caller, the requests of the frame are answered with the status of
   * the {@link AccessException} as error code. If the memory budget is exhausted, a large frame does
   * not wait for the authenticator, and its requests are answered with -32000.
   */
  @Override
  public InFlightFrame serve(byte[] frame, int from, int to, FrameSink replies) {
    CompletableFuture<Attributes> asked = authenticate();
    if (asked == null) {
      return admitted(frame, from, to, replies);
    }
    if (asked.isDone()) {
      return after(asked).admitted(frame, from, to, replies);
    }
    // Counted as the running call would be. The authenticator may take as long as a handler.
    MemoryBudget.Share share = MemoryBudget.ofProcess().share(Connection.FREE_ALONE);
    if (!share.hold(to - from)) {
      LimitException full = share.refusal();
      RpcError busy = options().dialect().busy(full.limit(), full.max());
      return refusing(busy, full.limit()).admitted(frame, from, to, replies);
    }
    byte[] copy = Arrays.copyOfRange(frame, from, to);
    InFlightFrame pending = new InFlightFrame(new CompletableFuture<>());
    asked.whenComplete((known, refusal) -> {
      share.hold(0);
      if (!pending.scheduler.isDone()) { // otherwise it was abandoned
        pending.served(after(asked).admitted(copy, 0, copy.length, replies));
      }
    });
    return pending;
  }

  /** Asks the authenticator for the principal; returns null if there is nothing to ask. */
  private @Nullable CompletableFuture<Attributes> authenticate() {
    Admission admission = context.admission();
    return admission == null || Admission.isKnown(attributes)
        ? null
        : admission.admit(channel, attributes);
  }

  /** Returns the responder for a frame after the end of its authentication. Waits for the end. */
  private FrameResponder after(CompletableFuture<Attributes> asked) {
    try {
      return new FrameResponder(context, channel, asked.join(), workers);
    } catch (CompletionException e) {
      AccessException refusal = Admission.refusal(e);
      return refusing(
          new RpcError(refusal.status(), String.valueOf(refusal.getMessage())), RefusedCall.ACCESS);
    }
  }

  private FrameResponder refusing(RpcError error, String reason) {
    return new FrameResponder(context.refusing(error, reason), channel, attributes, workers);
  }

  private InFlightFrame admitted(byte[] frame, int from, int to, FrameSink replies) {
    Trace trace = context.options().trace();
    if (trace != null) {
      Trace.Replies traced = trace.exchange(channel, frame, from, to, replies);
      InFlightFrame served = untraced(frame, from, to, traced);
      served.whenDone(traced::end);
      return served;
    }
    return untraced(frame, from, to, replies);
  }

  @Override
  public void serveHere(
      byte[] frame, int from, int to, FrameSink replies, Consumer<? super InFlight> started) {
    if (context.options().executor() != null) {
      started.accept(serve(frame, from, to, replies));
    } else {
      CompletableFuture<Attributes> asked = authenticate();
      FrameResponder known = asked == null ? this : after(asked);
      CallingThread thread = new CallingThread(context.options().workers());
      started.accept(
          new FrameResponder(known.context, channel, known.attributes, serving(context, thread))
              .admitted(frame, from, to, replies));
      thread.run();
    }
  }

  private InFlightFrame untraced(byte[] frame, int from, int to, FrameSink replies) {
    Responder responder = responder(replies);
    responder.serveAlone(frame, from, to);
    Scheduler scheduler = responder.connection().scheduler();
    if (scheduler.isWatched()) {
      scheduler.whenIdle(scheduler::stopWatching);
    }
    return new InFlightFrame(CompletableFuture.completedFuture(scheduler));
  }

  private Responder responder(FrameSink replies) {
    return new Responder(new Connection(context, replies, channel, attributes, workers, () -> {}));
  }

  @Override
  public InFlightFrame refuse(
      byte[] frame, int from, int to, int code, String message, FrameSink replies) {
    return refusing(new RpcError(code, message), RefusedCall.TRANSPORT)
        .admitted(frame, from, to, replies);
  }

  @Override
  public boolean isIdempotent(byte[] frame, int from, int to) {
    return responder(new Single(options().limits())).isIdempotent(frame, from, to);
  }

  @Override
  public int httpStatus(OptionalInt errorCode) {
    return options().dialect().httpStatus(errorCode);
  }

  @Override
  public int httpNotificationStatus() {
    return options().dialect().httpNotificationStatus();
  }

  /**
   * Serves a frame; the stage completes with the reply, or with null if there is none.
   *
   * <p>Without an {@link Options.Builder#executor} the handlers run on the calling thread before
   * this method returns, as in {@link #serveHere}.
   */
  public CompletionStage<byte @Nullable []> respondAsync(byte[] frame) {
    Single single = new Single(context.options().limits());
    serveHere(frame, 0, frame.length, single, served -> served.whenDone(single::nothing));
    return single.reply;
  }

  /**
   * Serves a frame and waits for the reply. The handlers run as in {@link #respondAsync}.
   *
   * @return the reply, or null if there is none, as for a notification
   * @throws CompletionException if the reply cannot be written, for lack of memory for example
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public byte @Nullable [] respond(byte[] frame) throws InterruptedException {
    try {
      return respondAsync(frame).toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    }
  }

  /** A frame that is being served. Thread-safe. */
  public static final class InFlightFrame implements FrameService.InFlight {
    /**
     * The scheduler of the calls. It is not there while the caller is authenticated, and if the
     * frame was abandoned meanwhile.
     */
    private final CompletableFuture<Scheduler> scheduler;

    InFlightFrame(CompletableFuture<Scheduler> scheduler) {
      this.scheduler = scheduler;
    }

    /** Continues with a frame that is served since the end of the authentication. */
    void served(InFlightFrame frame) {
      Scheduler calls = frame.scheduler.join();
      if (!scheduler.complete(calls)) {
        calls.abandon();
      }
    }

    @Override
    public void whenDone(Runnable action) {
      scheduler.whenComplete((calls, abandoned) -> {
        if (calls == null) {
          action.run();
        } else {
          calls.whenIdle(action);
        }
      });
    }

    /**
     * Cancels the call with this id, as the {@linkplain Dialect#cancelMethod cancellation message}
     * would. Does nothing if there is no such call.
     */
    public void cancel(Id id) {
      scheduler.thenAccept(calls -> calls.cancel(id));
    }

    @Override
    public void abandon() {
      if (!scheduler.cancel(false)) {
        scheduler.thenAccept(Scheduler::abandon);
      }
    }
  }

  /**
   * Queues the tasks that its creator, one thread, submits until that thread calls {@link #run}.
   */
  private static final class CallingThread implements Executor {
    private final Executor others;
    private final Thread thread = Thread.currentThread();

    // Used by that thread only.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean isOver;

    /**
     * @param others runs the tasks of other threads, and all tasks after {@link #run}
     */
    CallingThread(Executor others) {
      this.others = others;
    }

    @Override
    public void execute(Runnable task) {
      if (Thread.currentThread() != thread || isOver) {
        others.execute(task);
      } else {
        tasks.add(task); // run here it would be nested in the task that has requested it
      }
    }

    /** Runs the tasks, and the tasks that they add. */
    void run() {
      try {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          task.run();
        }
      } finally {
        isOver = true;
      }
    }
  }

  /** A frame sink for one reply. */
  private static final class Single implements FrameSink {
    final CompletableFuture<byte @Nullable []> reply = new CompletableFuture<>();
    private final Limits limits;

    Single(Limits limits) {
      this.limits = limits;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(limits.frameBytes());
    }

    @Override
    public void commit(OutboundFrame frame) {
      reply.complete(frame.toBytes());
    }

    @Override
    public void abort(Throwable cause) {
      reply.completeExceptionally(cause);
    }

    void nothing() {
      reply.complete(null);
    }
  }
}
