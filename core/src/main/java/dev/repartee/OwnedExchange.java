package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.stream.flow.Demand;
import dev.repartee.stream.flow.Publishers;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An exchange that can outlive its frame: it has a copy of its bytes and is registered with the
 * {@link Scheduler}. It is queued for a worker, or runs inline if user code may refer to it.
 */
final class OwnedExchange extends Exchange {
  /*
   * Implementation note. An owned exchange is shared by the reader, a worker, the sweeper and the
   * thread of a stage:
   *
   *   new --> waiting --> running --> finished          (kept by the Scheduler, in its Node)
   *   unanswered --> claimed --> response committed     (kept by this class)
   *
   * The two sequences are independent. When the deadline of a request passes, the request is
   * answered while its handler still runs. A request that is cancelled while it waits is answered
   * and never runs.
   *
   * Claim: claim() returns true to one thread only. The candidates are the handler's thread, the
   * thread of a stage, the sweeper (expire), the reader (cancel), user code (Call.cancel) and the
   * end of the connection (abandon). The thread that claims the exchange must commit a response,
   * end the connection, or, if no response is due, release its place in the batch (writeNothing).
   *
   * The Outcome records how an exchange ends:
   *
   *   OPEN ------------- claim -----------> ANSWERED
   *    |                                       |  the handler's result is not needed
   *    |  the peer cancels                     v
   *    +--------------> CANCELLED -- claim --> UNWANTED
   *
   * The claim decides between an answer and a cancellation: a cancellation after it comes too late.
   *
   * A stream that the handler returns replaces the handler: it answers and finishes the exchange,
   * also after a cancellation and after the end of the connection.
   *
   * Locking: this object guards cancellation, call, outcome, stream, credit and afterAnswer. The
   * actions of cancellation and afterAnswer are user code and run outside of the lock. A progress
   * notification is committed under the lock and cannot follow the response: the response is
   * committed after the claim, and the claim needs the same lock. The fields staged and worker are
   * written by the thread that runs the handler, without a lock.
   */

  /** How far the right to answer is used up. */
  private enum Outcome {
    /** No thread has claimed the exchange. */
    OPEN,
    /** As OPEN, and the peer has cancelled: the dialect's error replaces any response. */
    CANCELLED,
    /** A thread has claimed the exchange. */
    ANSWERED,
    /** As ANSWERED, and the result of the handler has no receiver: its token is cancelled. */
    UNWANTED;

    boolean isClaimed() {
      return compareTo(ANSWERED) >= 0;
    }
  }

  static final RpcError CANCELLED = new RpcError(RpcError.CANCELLED, "Request cancelled");

  /** The place of this exchange in the scheduler. */
  final MessageQueue.Node node;

  /** The initial attributes of the call: the attributes of the channel when the message arrived. */
  private final Attributes attributes;

  /** The milliseconds that the caller had left; {@link CallTime#NONE} if it has not stated them. */
  private final long received;

  /** The deadline. Changed when a stream is opened, under the lock of the scheduler or this. */
  private volatile long due;

  /** The error that the call ends with; null for a result. Written by the thread that claims. */
  private volatile @Nullable RpcError error;

  // Guarded by this exchange.

  /** The actions that follow the answer, in their order; null when they have run. */
  private @Nullable List<Consumer<@Nullable RpcError>> afterAnswer = List.of();

  /** The stream that the handler has returned; null if there is none yet. */
  private @Nullable ServedStream stream;

  /** The items that were granted before the stream was opened. */
  private long credit;

  private @Nullable Cancellation cancellation;
  private @Nullable Call call;
  private Outcome outcome = Outcome.OPEN;

  /** Whether the handler of a call with a deadline has begun. Written under the lock. */
  private volatile boolean begun;

  /**
   * Whether the handler returned a stage, so that the exchange continues after its invocation.
   * Written by the thread that runs the handler.
   */
  private boolean staged;

  /** Creates an exchange for the message that the element points at; copies its id and params. */
  OwnedExchange(Connection connection, Element element, RpcMethod method) {
    super(Math.max(0, element.frame.elements()));
    pointAt(connection, element, method);
    int id = idTo - idFrom;
    int params = paramsTo - paramsFrom;
    byte[] copy = new byte[id + params];
    System.arraycopy(bytes, idFrom, copy, 0, id);
    System.arraycopy(bytes, paramsFrom, copy, id, params);
    takeSpans(element.frame, paramsFrom - id);
    bytes = copy;
    paramsFrom = id;
    paramsTo = id + params;
    idFrom = 0;
    idTo = id;
    attributes = MessageMembers.of(connection, element);
    received = isNotification() ? CallTime.NONE : CallTime.received(connection, this, attributes);
    due = CallTime.due(connection.options(), received);
    int members = MessageMembers.size(connection, attributes);
    node = new MessageQueue.Node(this, connection.lane(method, isNotification()), members);
  }

  boolean isStaged() {
    return staged;
  }

  @Override
  boolean isPassedOn() {
    return staged && PassedOn.takes(connection().sink());
  }

  /** Returns the deadline of the handler on {@link Options#clock}. */
  long due() {
    return due;
  }

  /** Returns whether the deadline has passed. */
  boolean isLate() {
    return due != Clock.NEVER && due <= connection().options().clock().nanos();
  }

  // ---------------------------------------------------------------- running

  /** Runs the handler on a worker. The worker flushes the gathered responses later. */
  void run() {
    worker = Thread.currentThread();
    checks = connection().context().accepted(method(), bytes, paramsFrom, paramsTo);
    serve();
    if (!staged) {
      runAfterAnswer(); // while this thread is known as the worker, which must not wait for the end
    }
    worker = null;
    if (!staged) {
      connection().scheduler().finishOnWorker(this);
    }
  }

  /** Adds an action, or runs it if the call has ended; see {@link Call#whenAnswered}. */
  void whenAnswered(Consumer<@Nullable RpcError> action) {
    synchronized (this) {
      if (afterAnswer != null) {
        afterAnswer = afterAnswer.isEmpty() ? new ArrayList<>(1) : afterAnswer;
        afterAnswer.add(action);
        return;
      }
    }
    UserCode.run(() -> action.accept(error));
  }

  private void runAfterAnswer() {
    List<Consumer<@Nullable RpcError>> actions;
    synchronized (this) {
      actions = afterAnswer;
      afterAnswer = null;
    }
    if (actions != null) {
      actions.forEach(action -> UserCode.run(() -> action.accept(error)));
    }
  }

  @Override
  void send(RpcError error) {
    this.error = error;
    super.send(error);
  }

  /**
   * Returns whether such a worker runs this exchange. Reliable only for the calling thread, and for
   * the thread that has begun the end of the JVM, since it reads without a lock.
   */
  boolean isRunBy(Predicate<Thread> thread) {
    Thread present = worker;
    return present != null && thread.test(present);
  }

  /**
   * Runs the handler and answers. If the handler returns a stage, the stage answers. Throws
   * nothing.
   */
  void serve() {
    if (due == Clock.NEVER) {
      serveMethod();
      return;
    }
    if (!begins()) {
      expire();
      return;
    }
    OwnedExchange outer = CallTime.enter(this);
    try {
      serveMethod();
    } finally {
      CallTime.leave(outer);
    }
  }

  /** Returns whether the handler of a call with a deadline may begin. */
  private synchronized boolean begins() {
    begun = !outcome.isClaimed() && !isLate();
    return begun;
  }

  private void serveMethod() {
    try {
      Handler layered = checks == null ? connection().context().layered(method()) : null;
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
    } else if (method().streaming() != null || Publishers.isStream(value)) {
      ServedStream.open(this, value);
    } else {
      result(method().resultType(), value);
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
    staged = true; // before whenComplete, which may run the callback immediately
    try {
      stage.whenComplete((value, failure) -> completed(type, value, failure));
    } catch (Throwable e) {
      staged = false;
      throw e;
    }
  }

  private <T extends @Nullable Object> void completed(
      JsonType<T> type, T value, @Nullable Throwable failure) {
    if (failure != null) {
      fail(failure);
    } else if (!Publishers.isStream(value)) {
      result(type, value);
    } else if (opens(value)) {
      return; // the stream finishes this exchange
    }
    finish();
  }

  private boolean opens(@Nullable Object value) {
    try {
      ServedStream.open(this, value);
    } catch (Throwable e) {
      fail(e);
    }
    return isStreaming();
  }

  /** Ends this exchange on a thread that must not run other handlers. Throws nothing. */
  void finish() {
    try {
      connection().scheduler().finish(this);
    } catch (Throwable e) {
      connection().abort(e);
    }
    runAfterAnswer();
  }

  // ---------------------------------------------------------------- a stream

  /**
   * Begins a stream, which continues after the handler has returned. From now on no deadline
   * applies but this one, for the first credit.
   *
   * @return false if the call was answered meanwhile
   */
  boolean begin(ServedStream opened, long firstCredit) {
    long granted;
    synchronized (this) {
      if (outcome.isClaimed()) {
        return false;
      }
      stream = opened;
      granted = credit;
      due = granted > 0 ? Clock.NEVER : firstCredit;
    }
    staged = true;
    cancellation().onCancel(this::cancelStream);
    connection().scheduler().opened(this);
    if (connection().isInputClosed()) {
      cancelStream(); // the reader has looked for streams before this one was open
    }
    if (granted > 0) {
      opened.outflow.grant(granted);
    }
    return true;
  }

  /** Grants the stream of this call more items, also before the handler has returned it. */
  void grant(long items) {
    ServedStream open;
    synchronized (this) {
      open = stream;
      if (open == null) {
        credit = Demand.add(credit, items);
      } else {
        due = Clock.NEVER;
      }
    }
    if (open != null) {
      open.outflow.grant(items);
    }
  }

  /** Ends the stream of this call, if there is one: the caller has cancelled it or is gone. */
  void cancelStream() {
    stopStream(CANCELLED);
  }

  /** Ends the stream of this call, if there is one, with an error. */
  void stopStream(RpcError error) {
    ServedStream open;
    synchronized (this) {
      open = stream;
    }
    if (open != null) {
      open.outflow.stop(new RpcException(error));
    }
  }

  /** Sends a frame, unless the call was answered. */
  synchronized void commitUnanswered(OutboundFrame frame) {
    if (outcome.isClaimed()) {
      connection().discard(frame);
    } else {
      connection().commit(frame, false);
    }
  }

  // ---------------------------------------------------------------- the claim

  /**
   * Claims the right to answer. If the call was cancelled, answers with the dialect's error itself
   * and returns false.
   */
  @Override
  boolean claimAnswer() {
    return claimAnswer(null);
  }

  private boolean claimAnswer(@Nullable RpcError early) {
    Outcome before = claim(early);
    if (before == Outcome.CANCELLED) {
      sendCancelled();
    }
    return before == Outcome.OPEN;
  }

  /**
   * Claims the right to answer; see the note at the top.
   *
   * @param early the error for {@link #whenAnswered}; null for the outcome of the handler
   * @return the outcome before. If that was not claimed, the calling thread has to answer
   */
  private synchronized Outcome claim(@Nullable RpcError early) {
    Outcome before = outcome;
    if (before == Outcome.OPEN) {
      outcome = Outcome.ANSWERED;
      error = early;
    } else if (before == Outcome.CANCELLED) {
      outcome = Outcome.UNWANTED;
      error = CANCELLED;
    }
    return before;
  }

  private void sendCancelled() {
    RpcError error;
    try {
      error = connection().options().dialect().cancelledError();
    } catch (Throwable e) {
      error = reported(e);
    }
    if (error == null) {
      noAnswer();
    } else {
      send(error);
    }
  }

  private void noAnswer() {
    if (!isNotification()) {
      writeNothing();
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
      if (outcome != Outcome.OPEN) {
        return;
      }
      outcome = Outcome.CANCELLED;
      token = cancellation;
    }
    if (token != null) {
      token.cancel();
    }
    if (queued) {
      reportRefused(RefusedCall.CANCELLED, CANCELLED, attributes);
      claimAnswer(); // answers with the dialect's error
    }
  }

  /** Answers that the deadline has passed; discards the handler's later result. Throws nothing. */
  void expire() {
    if (isStreaming()) {
      stopStream(ServedStream.noCredit(method().name()));
    } else {
      answerEarly(Dialect.PLAIN.deadlinePassed(0), this::expired);
    }
  }

  /** Fails a call that has not run and will not run. Throws nothing. */
  void failUnserved(Throwable cause) {
    RpcError error = cause instanceof RpcException busy ? busy.error() : Errors.INTERNAL;
    reportRefused(RefusedCall.EXECUTOR, error, attributes);
    fail(cause);
  }

  /** Answers with an error, and discards the handler's later result. Throws nothing. */
  void cancel(RpcError error) {
    if (isStreaming()) {
      stopStream(error);
    } else {
      answerEarly(error, () -> error);
    }
  }

  /**
   * @param early the error for {@link #whenAnswered}, if the handler ends before the answer is sent
   */
  private void answerEarly(RpcError early, Supplier<RpcError> error) {
    if (claimAnswer(early)) {
      send(error.get());
      cancelHandler();
    }
  }

  /**
   * Answers that the result cannot be a stream, which the caller has asked for, and cancels the
   * handler. Throws nothing.
   */
  void refuseStream() {
    RpcError error = Errors.noStream(method().name());
    answerEarly(error, () -> error);
  }

  private synchronized boolean isStreaming() {
    return stream != null;
  }

  private RpcError expired() {
    RpcError passed;
    try {
      passed = CallTime.passed(connection().options(), received);
    } catch (Throwable e) {
      passed = reported(e);
    }
    if (!begun) { // read after the claim, which excludes a later begin
      reportRefused(RefusedCall.DEADLINE, passed, attributes);
    }
    return passed;
  }

  /**
   * Answers with the error. A nested call that had the remaining time of this call fails at the
   * deadline, too. Either call may end first by chance; the caller gets the error of the deadline in
   * both cases.
   */
  @Override
  void fail(Throwable failure) {
    if (UserCode.cause(failure) instanceof CallTimeoutException && isLate()) {
      expire();
    } else {
      super.fail(failure);
    }
  }

  /** Cancels the call without an answer, because the client disconnected. Throws nothing. */
  void abandon() {
    if (!claim(CANCELLED).isClaimed()) {
      noAnswer();
    }
    cancelHandler();
  }

  /** Cancels the handler's token. Creates no token if the handler never asked for one. */
  private void cancelHandler() {
    Cancellation token;
    synchronized (this) {
      outcome = Outcome.UNWANTED;
      token = cancellation;
    }
    if (token != null) {
      token.cancel();
    }
  }

  // ---------------------------------------------------------------- the call for handlers

  private synchronized Cancellation cancellation() {
    if (cancellation == null) {
      cancellation = new Cancellation();
      if (outcome == Outcome.CANCELLED || outcome == Outcome.UNWANTED) {
        cancellation.cancel();
      }
    }
    return cancellation;
  }

  @Override
  Call call() {
    Cancellation token = cancellation();
    synchronized (this) {
      if (call == null) {
        call = call(isNotification() ? null : this, token, due, attributes);
      }
      return call;
    }
  }

  @Override
  Json json(int from, int to) {
    return UnsafeJson.slice(bytes, from, to);
  }

  /** Sends a notification that belongs to this call, unless the call was answered. */
  synchronized void sendNow(String method, Json params) {
    if (!outcome.isClaimed()) {
      connection().sendNotification(method, params);
    }
  }
}
