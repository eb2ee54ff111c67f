package dev.repartee;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request or notification on its way through the responder.
 *
 * <p>An exchange that runs inline and that nobody can keep looks into the read buffer and is used
 * again for the next message. Any other owns a copy of its bytes and is known
 * to the {@link Lanes}.
 */
final class Exchange {
  private static final byte[] NO_BYTES = new byte[0];

  /** Where the id and the params are: the read buffer, or a copy of the two. */
  byte[] bytes = NO_BYTES;

  int idFrom;

  /** The same as {@link #idFrom} for a notification. */
  int idTo;

  int paramsFrom;

  /** The same as {@link #paramsFrom} where there are no params. */
  int paramsTo;

  /** Room for the places of arguments: two numbers each, the start and the end in {@link #bytes}. */
  int[] spans = new int[2 * Inbound.SPANS];

  /** What reads the arguments. */
  final Cursor cursor = new Cursor(NO_BYTES, 0, 0);

  /** How many elements of params by position have their places in there, if they were noted. */
  int elements = Inbound.UNKNOWN;

  // Set once, before anything runs.
  private @Nullable Responder responder;
  private @Nullable RpcMethod method;
  private @Nullable BatchReply batch;
  private int slot;
  private boolean owned;

  /** What the call begins with as its attributes: those of the time at which an owned one arrived. */
  private Map<String, Object> attributes = Map.of();

  private long due = Sweeper.NEVER;

  // Lanes' own, guarded by its lock.
  @Nullable Exchange nextInBucket;

  @Nullable Exchange previousInBucket;

  /** The next that waits, or the next that was started in the same step. */
  @Nullable Exchange next;

  Lane lane = Lane.INLINE;
  boolean started;
  boolean holdsLane;
  boolean dropped;
  boolean finished;

  // Guarded by this exchange, where it is owned.
  private @Nullable Cancellation cancellation;
  private @Nullable Call call;
  private boolean cancelled;

  /** Whether nobody waits any more, so that a cancellation made from now on is cancelled at once. */
  private boolean unwanted;

  private boolean answered;

  /** Whether the result comes from a stage, so that the exchange outlives its invocation. */
  private boolean staged;

  /** The worker that runs it: what that answers leaves when it says so. */
  private @Nullable Thread worker;

  /** Takes the i-th message of the frame as it stands in the read buffer. */
  void borrow(
      Responder responder,
      Inbound in,
      int i,
      RpcMethod method,
      @Nullable BatchReply batch,
      int slot) {
    this.responder = responder;
    this.method = method;
    this.batch = batch;
    this.slot = slot;
    bytes = in.bytes();
    idFrom = in.idFrom(i);
    idTo = in.kind(i) == Inbound.REQUEST ? in.idTo(i) : idFrom;
    paramsFrom = in.paramsFrom(i);
    paramsTo = in.paramsTo(i);
    elements = in.elements();
    in.spans(spans, 0);
  }

  /** Lets go of the read buffer. */
  void giveBack() {
    bytes = NO_BYTES;
    cursor.move(NO_BYTES, 0, 0);
    responder = null;
    method = null;
    batch = null;
    elements = Inbound.UNKNOWN;
    cancellation = null;
    staged = false;
  }

  /** Takes the i-th message of the frame with a copy of its bytes. */
  static Exchange own(
      Responder responder,
      Inbound in,
      int i,
      RpcMethod method,
      @Nullable BatchReply batch,
      int slot) {
    Exchange x = new Exchange();
    x.borrow(responder, in, i, method, batch, slot);
    x.owned = true;
    x.attributes = responder.attributes();
    int id = x.idTo - x.idFrom;
    int params = x.paramsTo - x.paramsFrom;
    byte[] copy = new byte[id + params];
    System.arraycopy(x.bytes, x.idFrom, copy, 0, id);
    System.arraycopy(x.bytes, x.paramsFrom, copy, id, params);
    x.bytes = copy;
    in.spans(x.spans, x.paramsFrom - id);
    x.idFrom = 0;
    x.idTo = id;
    x.paramsFrom = id;
    x.paramsTo = id + params;
    x.lane = method.lane(x.isNotification());
    x.due = Sweeper.after(responder.options().limits().handlerTimeout());
    return x;
  }

  boolean isNotification() {
    return idFrom == idTo;
  }

  boolean isStaged() {
    return staged;
  }

  boolean isInBatch() {
    return batch != null;
  }

  /** When the handler must have finished, by {@link Sweeper#now()}. */
  long due() {
    return due;
  }

  int[] spans(int arguments) {
    if (spans.length < 2 * arguments) {
      spans = Arrays.copyOf(spans, 2 * arguments);
    }
    return spans;
  }

  Responder responder() {
    return java.util.Objects.requireNonNull(responder);
  }

  RpcMethod method() {
    return java.util.Objects.requireNonNull(method);
  }

  // ---------------------------------------------------------------- running

  /** Runs on a worker, which has the outlet flushed when it likes. */
  void run() {
    worker = Thread.currentThread();
    serve();
    worker = null;
    if (!staged) {
      responder().lanes().finished(this);
    }
  }

  /** Whether that is the worker that runs it. Only that thread itself is sure of the answer. */
  boolean isRunBy(Thread thread) {
    return worker == thread;
  }

  /** Runs the handler and answers, unless a stage will do so. Throws nothing. */
  void serve() {
    try {
      Handler layered = responder().serving().layered(method());
      Invoker invoker = method().invoker();
      if (layered != null) {
        answer(layered.handle(call()));
      } else if (invoker != null) {
        invoker.invoke(this);
      } else {
        answer(method().handler().handle(call()));
      }
    } catch (Throwable t) {
      fail(t);
    }
  }

  private void answer(@Nullable Object value) {
    if (value instanceof CompletionStage<?> stage) {
      stage(method().resultType(), stage);
    } else {
      result(method().resultType(), value);
    }
  }

  // ---------------------------------------------------------------- results

  void result(int value) {
    result((long) value);
  }

  // Every answer has the same three steps. begin() claims the exchange: from then on only this
  // thread
  // can answer it. A failure before the commit is answered with an error. A failure in the commit
  // ends
  // the connection (Responder.commit). Nothing is thrown, since no caller could answer any more.

  void result(long value) {
    Output out = begin();
    if (out != null) {
      try {
        end(out.number(value));
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(double value) {
    Output out = begin();
    if (out != null) {
      try {
        end(out.number(value));
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(float value) {
    Output out = begin();
    if (out != null) {
      try {
        end(out.number(value));
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(boolean value) {
    Output out = begin();
    if (out != null) {
      try {
        end(out.bool(value));
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void nothing() {
    Output out = begin();
    if (out != null) {
      try {
        end(out.nil());
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  <T extends @Nullable Object> void result(JsonType<T> type, T value) {
    Output out = begin();
    if (out != null) {
      try {
        type.write(out, value);
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  /**
   * Answers when the stage is complete; it is cancelled when the call is.
   *
   * @throws RuntimeException what the stage threw instead of taking the callback; it may still run it
   */
  <T extends @Nullable Object> void stage(
      JsonType<T> type, @Nullable CompletionStage<? extends T> stage) {
    if (stage == null) {
      throw new IllegalStateException("the method '" + method() + "' returned null for a stage");
    }
    cancellation().onCancel(() -> Foreign.run(() -> stage.toCompletableFuture().cancel(true)));
    staged = true; // before the callback is handed over, which may run at once
    try {
      stage.whenComplete((value, failure) -> completed(type, value, failure));
    } catch (Throwable e) {
      staged = false;
      throw e;
    }
  }

  private <T extends @Nullable Object> void completed(
      JsonType<T> type, T value, @Nullable Throwable failure) {
    if (failure == null) {
      result(type, value);
    } else {
      fail(failure);
    }
    try {
      responder().lanes().finishedStage(this);
    } catch (Throwable e) {
      responder().breakOff(e);
    }
  }

  /** Answers with the error for a failure. Throws nothing. */
  void fail(Throwable failure) {
    error(errorOf(failure));
  }

  private RpcError errorOf(Throwable failure) {
    Throwable cause = failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
    if (cause instanceof RpcException rpc) {
      return rpc.error();
    } else if (cause instanceof CancellationException && isCancelled()) {
      return RpcError.INTERNAL; // not what is sent: see error(RpcError)
    }
    RpcError error = responder().serving().errorFor(cause);
    if (error == null) {
      error = RpcError.INTERNAL;
      report(cause);
    }
    return error;
  }

  /** Tells the listener of a failure; the caller is answered even if there is no memory for that. */
  private void report(Throwable cause) {
    try {
      responder().serving().failed(call(), cause);
    } catch (Throwable e) {
      // The listener misses one failure.
    }
  }

  /** Answers with an error, or with the dialect's own where the call was cancelled. */
  void error(RpcError error) {
    if (claim()) {
      answer(error);
    }
  }

  /** Answers an exchange that was claimed. */
  private void answer(RpcError error) {
    RpcError sent = error;
    if (isCancelled()) {
      try {
        sent = responder().options().dialect().cancelledError();
      } catch (Throwable e) {
        report(e);
        sent = RpcError.INTERNAL;
      }
    }
    if (sent == null) {
      unanswered();
    } else {
      write(sent);
    }
  }

  // ---------------------------------------------------------------- ending early

  /** The caller gave up: a queued call is answered and never runs, a running one is told. */
  void cancel(boolean queued) {
    Cancellation told;
    synchronized (this) {
      if (answered || cancelled) {
        return;
      }
      cancelled = true;
      told = cancellation;
    }
    if (told != null) {
      told.cancel();
    }
    if (queued) {
      error(RpcError.INTERNAL);
    }
  }

  /** Answers that the deadline has passed and drops the later result of the handler. Throws nothing. */
  void expire() {
    if (claim()) {
      answer(deadlinePassed());
      stop();
    }
  }

  private RpcError deadlinePassed() {
    Options options = responder().options();
    try {
      return options.dialect().deadlinePassed(options.limits().handlerTimeout().toMillis());
    } catch (Throwable e) {
      report(e);
      return RpcError.INTERNAL;
    }
  }

  /** The caller is gone: tells the handler, answers nobody. Throws nothing. */
  void abandon() {
    if (claim()) {
      unanswered();
    }
    stop();
  }

  /** Tells the handler that its answer is not wanted; allocates nothing where it never asked. */
  private void stop() {
    Cancellation told;
    synchronized (this) {
      unwanted = true;
      told = cancellation;
    }
    if (told != null) {
      told.cancel();
    }
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Whether the caller of this is the one to answer: true once. */
  private boolean claim() {
    if (!owned) {
      return true;
    }
    synchronized (this) {
      boolean first = !answered;
      answered = true;
      return first;
    }
  }

  // ---------------------------------------------------------------- the call as handlers see it

  synchronized Cancellation cancellation() {
    if (cancellation == null) {
      cancellation = new Cancellation();
      if (cancelled || unwanted) {
        cancellation.cancel();
      }
    }
    return cancellation;
  }

  Call call() {
    Cancellation token = cancellation();
    synchronized (this) {
      if (call != null) {
        return call;
      }
      Call seen = view(token);
      if (owned) {
        call = seen;
      }
      return seen;
    }
  }

  @Nullable Json params() {
    if (paramsFrom == paramsTo) {
      return null;
    }
    return owned ? Json.slice(bytes, paramsFrom, paramsTo) : Json.copy(bytes, paramsFrom, paramsTo);
  }

  private Call view(Cancellation token) {
    boolean reports = owned && !isNotification();
    long deadline = due == Sweeper.NEVER ? 0 : System.nanoTime() + due - Sweeper.now();
    Call seen = new Call(
        method().name(),
        params(),
        isNotification() ? null : id(),
        responder().peer(),
        responder().channel(),
        token,
        deadline,
        reports ? this::progress : null);
    seen.exchange = reports ? this : null;
    seen.responder = responder;
    Map<String, Object> known = owned ? attributes : responder().attributes();
    if (!known.isEmpty()) {
      seen.attributes().putAll(known);
    }
    return seen;
  }

  Id id() {
    return Id.of(Json.copy(bytes, idFrom, idTo));
  }

  private void progress(Json value) {
    Dialect dialect = responder().options().dialect();
    String method = dialect.progressMethod();
    if (method != null) {
      tell(method, dialect.progressParams(id(), value));
    }
  }

  /**
   * Sends a notification of this call, unless it was answered: nothing may follow the answer. Waits for
   * room on a worker; where that is not to be had it is dropped.
   */
  void tell(String method, Json params) {
    try {
      Outlet outlet = responder().outlet();
      if (outlet.streams() && Caller.hasRoom(outlet, responder().options().limits())) {
        tellNow(method, params);
      }
    } catch (DisconnectedException e) {
      // A caller that is gone is told nothing.
    }
  }

  /** Does the same without waiting; returns false where there is no room. */
  boolean offer(String method, Json params) {
    try {
      Outlet outlet = responder().outlet();
      if (outlet.streams()) {
        if (!Caller.hasRoom(outlet, 0)) {
          return false;
        }
        tellNow(method, params);
      }
    } catch (DisconnectedException e) {
      // A caller that is gone is told nothing.
    }
    return true;
  }

  private synchronized void tellNow(String method, Json params) {
    if (!answered) {
      responder().tell(method, params);
    }
  }

  // ---------------------------------------------------------------- writing the answer

  /** Claims the exchange and starts a result; null if nobody wants one, or an error was sent instead. */
  private @Nullable Output begin() {
    if (isNotification() || cancelledInstead() || !claim()) {
      return null;
    }
    Output out = null;
    try {
      out = responder().open(batch != null);
      responder().codec().beginResult(out, bytes, idFrom, idTo, method().name());
      return out;
    } catch (Throwable e) {
      cannotWrite(out, e);
      return null;
    }
  }

  /** A call that was cancelled gets the dialect's answer, whatever the handler returned. */
  private boolean cancelledInstead() {
    if (!owned || !isCancelled()) {
      return false;
    }
    error(RpcError.INTERNAL);
    return true;
  }

  private void end(Output out) {
    out.limit(Output.NO_LIMIT); // what follows is the id, which fitted into a frame before
    responder().codec().endResult(out, bytes, idFrom, idTo);
    commit(out);
  }

  /** Answers with an error in the place of a result that cannot be written. */
  private void cannotWrite(@Nullable Output out, Throwable cause) {
    responder().discard(out, batch != null);
    if (cause instanceof LimitException limit) {
      write(Responder.tooLarge(limit));
    } else {
      report(cause);
      write(RpcError.INTERNAL);
    }
  }

  private void write(RpcError error) {
    if (isNotification()) {
      return;
    }
    String name = method().name();
    Output out = responder().errorFrame(batch != null, bytes, idFrom, idTo, name, error);
    if (out != null) {
      try {
        commit(out);
      } catch (Throwable e) {
        responder().breakOff(e);
      }
    }
  }

  /** Sends the frame. Throws only before it was handed over. */
  private void commit(Output out) {
    if (batch != null) {
      batch.put(slot, out.toBytes());
    } else {
      responder().commit(out, Thread.currentThread() == worker);
    }
  }

  /** Leaves the call without an answer, which a batch must know of. */
  private void unanswered() {
    if (batch != null && !isNotification()) {
      batch.put(slot, null);
    }
  }
}
