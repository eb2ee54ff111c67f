package dev.repartee;

import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One inbound request or notification: its place in the bytes, its handler, and its response.
 *
 * <p>An exchange is either borrowed or owned. A borrowed exchange points into the read buffer. It
 * serves inline methods that give user code no reference to it, and the reader reuses it for the
 * next message. An owned exchange has a copy of its bytes and is registered with the {@link Scheduler}.
 */
final class Exchange {
  /*
   * Implementation note.
   *
   * A borrowed exchange lives on one thread:
   *
   *   borrow() --> serve() --> giveBack()
   *
   * It needs no lock and no claim, since no other thread can see it, and it allocates nothing. It
   * cannot be cancelled and has no deadline: it is not registered with the Scheduler.
   *
   * An owned exchange is shared by the reader, a worker, the sweeper and the thread of a stage:
   *
   *   own() --> waiting --> running --> finished        (kept by the Scheduler)
   *   unanswered --> claimed --> response committed     (kept by this class)
   *
   * The two sequences are independent. When the deadline of a request passes, the request is
   * answered while its handler still runs. A request that is cancelled while it waits is answered
   * and never runs.
   *
   * Claim: claim() returns true to one thread only. The candidates are the handler's thread, the
   * thread of a stage, the sweeper (expire), the reader (cancel) and the end of the connection
   * (abandon). The thread that claims the exchange must commit a response, end the connection, or,
   * if no response is due, release its place in the batch (unanswered). Nothing may throw out of
   * it, because no other thread can answer any more:
   *
   * - A failure before the commit is answered with an error, in the end with a small internal
   *   error.
   * - A failure in the commit ends the connection (Responder.commit). A second response would be
   *   wrong, since it is unknown whether the frame will be sent.
   *
   * Three flags record how an exchange ends:
   *
   *   cancelled  the peer cancelled the request: the dialect's error replaces any response
   *   unwanted   the deadline has passed or the client disconnected: the handler is only notified
   *   answered   the exchange was claimed
   *
   * Locking: the lock of the Scheduler guards nextInBucket, previousInBucket, next, lane, started,
   * holdsLane, dropped and finished. The lock of this exchange guards cancellation, call,
   * cancelled, unwanted and answered. Cancellation actions are user code and run outside both
   * locks. A progress notification is committed under the lock of the exchange, so it cannot follow
   * the response: the response is committed after the claim, and the claim needs the same lock. The
   * fields staged and worker are written by the thread that runs the handler, without a lock.
   */

  private static final byte[] NO_BYTES = new byte[0];

  /** The bytes of the id and the params: the read buffer, or a copy of these two. */
  byte[] bytes = NO_BYTES;

  int idFrom;

  /** The end of the id; equal to {@link #idFrom} for a notification. */
  int idTo;

  int paramsFrom;

  /** The end of the params; equal to {@link #paramsFrom} if there are none. */
  int paramsTo;

  /** The spans of the arguments: for each its start and its end in {@link #bytes}. */
  int[] spans = new int[2 * ParsedFrame.SPANS];

  /** The cursor that reads the arguments. */
  final Cursor cursor = new Cursor(NO_BYTES, 0, 0);

  /** The number of positional params in {@link #spans}, or {@link ParsedFrame#UNKNOWN}. */
  int elements = ParsedFrame.UNKNOWN;

  // Set once, before anything runs.
  private @Nullable Responder responder;
  private @Nullable RpcMethod method;
  private @Nullable BatchReply batch;
  private int slot;
  private boolean owned;

  /** The initial attributes of the call: those of the channel when an owned exchange arrived. */
  private Attributes attributes = Attributes.NONE;

  private long due = Sweeper.NEVER;

  // Guarded by the lock of the Scheduler.
  @Nullable Exchange nextInBucket;

  @Nullable Exchange previousInBucket;

  /** The next waiting exchange, or the next exchange that was started in the same step. */
  @Nullable Exchange next;

  Lane lane = Lane.INLINE;
  boolean started;
  boolean holdsLane;
  boolean dropped;
  boolean finished;

  // Guarded by this exchange if it is owned.
  private @Nullable Cancellation cancellation;
  private @Nullable Call call;
  private boolean cancelled;

  /**
   * Whether no result is expected any more: {@link #cancellation()} then returns a cancelled token.
   */
  private boolean unwanted;

  private boolean answered;

  // Written by the thread that runs the handler.

  /** Whether the handler returned a stage, so that the exchange continues after its invocation. */
  private boolean staged;

  /** The worker that runs the handler. Its responses are gathered until the worker flushes them. */
  private @Nullable Thread worker;

  /** Points this exchange at the message with index {@code i}, without a copy. */
  void borrow(
      Responder responder,
      ParsedFrame in,
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
    idTo = in.kind(i) == ParsedFrame.REQUEST ? in.idTo(i) : idFrom;
    paramsFrom = in.paramsFrom(i);
    paramsTo = in.paramsTo(i);
    elements = in.elements();
    in.spans(spans, 0);
  }

  /** Ends the use of a borrowed exchange: releases the read buffer and all references. */
  void giveBack() {
    bytes = NO_BYTES;
    cursor.move(NO_BYTES, 0, 0);
    responder = null;
    method = null;
    batch = null;
    elements = ParsedFrame.UNKNOWN;
    cancellation = null;
    staged = false;
  }

  /** Creates an owned exchange for the message with index {@code i}; copies its id and params. */
  static Exchange own(
      Responder responder,
      ParsedFrame in,
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

  /** Returns the deadline of the handler on the clock of {@link Sweeper#now()}. */
  long due() {
    return due;
  }

  /** Returns the array of spans with room for that many arguments. */
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

  /** Runs the handler on a worker. The worker flushes the gathered responses later. */
  void run() {
    worker = Thread.currentThread();
    serve();
    worker = null;
    if (!staged) {
      responder().lanes().finished(this);
    }
  }

  /**
   * Returns whether {@code thread} is the worker that runs this exchange. Reads without a lock, so
   * the result is reliable only for the calling thread.
   */
  boolean isRunBy(Thread thread) {
    return worker == thread;
  }

  /**
   * Runs the handler and answers. If the handler returns a stage, the stage answers. Throws
   * nothing.
   */
  void serve() {
    try {
      Handler layered = responder().serving().layered(method());
      MethodInvoker invoker = method().invoker();
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

  // Each method claims the exchange (begin), writes the value, then completes the response (end).

  void result(long value) {
    OutboundFrame out = begin();
    if (out != null) {
      try {
        out.number(value);
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(double value) {
    OutboundFrame out = begin();
    if (out != null) {
      try {
        out.number(value);
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(float value) {
    OutboundFrame out = begin();
    if (out != null) {
      try {
        out.number(value);
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void result(boolean value) {
    OutboundFrame out = begin();
    if (out != null) {
      try {
        out.bool(value);
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  void nothing() {
    OutboundFrame out = begin();
    if (out != null) {
      try {
        out.nil();
        end(out);
      } catch (Throwable e) {
        cannotWrite(out, e);
      }
    }
  }

  <T extends @Nullable Object> void result(JsonType<T> type, T value) {
    OutboundFrame out = begin();
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
   * Answers when the stage completes. Cancelling the call cancels the stage.
   *
   * @throws RuntimeException if {@code whenComplete} of the stage throws. Such a stage may still
   *     run the callback; the claim ensures that the call is answered once
   */
  <T extends @Nullable Object> void stage(
      JsonType<T> type, @Nullable CompletionStage<? extends T> stage) {
    if (stage == null) {
      throw new IllegalStateException("the method '" + method() + "' returned null for a stage");
    }
    cancellation().onCancel(() -> UserCode.run(() -> stage.toCompletableFuture().cancel(true)));
    staged = true; // before whenComplete, which may run the callback at once
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
      responder().abort(e);
    }
  }

  /** Answers with the error that an exception of the handler maps to. Throws nothing. */
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
      return RpcError.INTERNAL; // a placeholder: answer(RpcError) sends the dialect's error
    }
    RpcError error = responder().serving().errorFor(cause);
    if (error == null) {
      error = RpcError.INTERNAL;
      report(cause);
    }
    return error;
  }

  /** Reports a failure to the listener. Throws nothing, so the caller is answered in any case. */
  private void report(Throwable cause) {
    try {
      responder().serving().failed(call(), cause);
    } catch (Throwable e) {
      // The listener does not get this failure.
    }
  }

  /** Answers with an error; a cancelled call is answered with the dialect's error instead. */
  void error(RpcError error) {
    if (claim()) {
      answer(error);
    }
  }

  /** Answers a claimed exchange with an error. */
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

  /**
   * Cancels the call at the request of the peer. A queued call is answered and never runs; the
   * cancellation token of a running call is cancelled.
   */
  void cancel(boolean queued) {
    Cancellation token;
    synchronized (this) {
      if (answered || cancelled) {
        return;
      }
      cancelled = true;
      token = cancellation;
    }
    if (token != null) {
      token.cancel();
    }
    if (queued) {
      error(RpcError.INTERNAL);
    }
  }

  /** Answers that the deadline has passed; discards the handler's later result. Throws nothing. */
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

  /** Cancels the call without an answer, because the client disconnected. Throws nothing. */
  void abandon() {
    if (claim()) {
      unanswered();
    }
    stop();
  }

  /** Cancels the handler's token. Creates no token if the handler never asked for one. */
  private void stop() {
    Cancellation token;
    synchronized (this) {
      unwanted = true;
      token = cancellation;
    }
    if (token != null) {
      token.cancel();
    }
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  /**
   * Claims the right to answer. Returns true once for an owned exchange; see the note at the top.
   */
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

  // ---------------------------------------------------------------- the call for handlers

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
    return new Call(
        method().name(),
        params(),
        isNotification() ? null : id(),
        responder(),
        reports ? this : null,
        token,
        deadline,
        owned ? attributes : responder().attributes());
  }

  Id id() {
    return Id.of(Json.copy(bytes, idFrom, idTo));
  }

  void progress(Json value) {
    Dialect dialect = responder().options().dialect();
    String method = dialect.progressMethod();
    if (method != null) {
      tell(method, dialect.progressParams(id(), value));
    }
  }

  /**
   * Sends a notification that belongs to this call, unless the call was answered. Waits on a worker
   * until the write queue has room, and drops the notification if the queue stays full.
   */
  void tell(String method, Json params) {
    try {
      FrameSink outlet = responder().outlet();
      if (outlet.streams() && Caller.hasRoom(outlet, responder().options().limits())) {
        sendNow(method, params);
      }
    } catch (DisconnectedException e) {
      // The client disconnected; nobody waits for the notification.
    }
  }

  /**
   * Sends a notification as {@link #tell} does, but returns false if the write queue is full.
   *
   * @param params is called only if the queue has room
   */
  boolean offer(String method, Supplier<Json> params) {
    try {
      FrameSink outlet = responder().outlet();
      if (outlet.streams()) {
        if (!Caller.hasRoom(outlet, 0)) {
          return false;
        }
        sendNow(method, params.get());
      }
    } catch (DisconnectedException e) {
      // The client disconnected; nobody waits for the notification.
    }
    return true;
  }

  private synchronized void sendNow(String method, Json params) {
    if (!answered) {
      responder().tell(method, params);
    }
  }

  // ---------------------------------------------------------------- writing the answer

  /**
   * Claims the exchange and starts a result.
   *
   * @return null for a notification, if the exchange was claimed before, or if an error was sent
   */
  private @Nullable OutboundFrame begin() {
    if (isNotification() || cancelledInstead() || !claim()) {
      return null;
    }
    OutboundFrame out = null;
    try {
      out = responder().open(batch != null);
      responder().codec().beginResult(out, bytes, idFrom, idTo, method().name());
      return out;
    } catch (Throwable e) {
      cannotWrite(out, e);
      return null;
    }
  }

  /**
   * Answers a cancelled call with the dialect's error instead of the result; false if not
   * cancelled.
   */
  private boolean cancelledInstead() {
    if (!owned || !isCancelled()) {
      return false;
    }
    error(RpcError.INTERNAL);
    return true;
  }

  private void end(OutboundFrame out) {
    out.unlimited(); // only the id follows, and it fitted into the request's frame
    responder().codec().endResult(out, bytes, idFrom, idTo);
    commit(out);
  }

  /** Answers a claimed exchange with an error, because its result cannot be written. */
  private void cannotWrite(@Nullable OutboundFrame out, Throwable cause) {
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
    OutboundFrame out = responder().errorFrame(batch != null, bytes, idFrom, idTo, name, error);
    if (out != null) {
      try {
        commit(out);
      } catch (Throwable e) {
        responder().abort(e);
      }
    }
  }

  /**
   * Sends the frame, or stores it in the reply of the batch. Throws only before that has happened.
   */
  private void commit(OutboundFrame out) {
    if (batch != null) {
      batch.put(slot, out.toBytes());
    } else {
      responder().commit(out, Thread.currentThread() == worker);
    }
  }

  /** Ends the exchange without a response. The reply of a batch does not wait for it any longer. */
  private void unanswered() {
    if (batch != null && !isNotification()) {
      batch.put(slot, null);
    }
  }
}
