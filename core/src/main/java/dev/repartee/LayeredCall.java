package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.Times;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing call that passes through the layers. The user has the future of this object; the
 * innermost handler sends the call and gets a second future. Cancelling the first cancels the
 * second.
 */
final class LayeredCall<T extends @Nullable Object> implements CallFuture.Origin {
  /**
   * The last step of a call behind all layers: sends it, or adds it to a batch; returns null for a
   * notification.
   */
  interface Exit<T extends @Nullable Object> {
    @Nullable CallFuture<T> leave(CallBuilder call);
  }

  /** The attribute by which {@link #leave} finds this object behind the layers. */
  static final Attribute<LayeredCall<?>> KEY = Attribute.named("outgoing call");

  /**
   * The time between the deadline of a call that its layers hold and its end. During this time a
   * layer may end the call itself, for example with a fallback.
   */
  private static final Duration LAST_RESORT = Duration.ofSeconds(1);

  private final CallBuilder call;
  private final Peer peer;
  private final Exit<T> exit;
  private final @Nullable Batch batch;
  private final Cancellation cancellation = new Cancellation();
  private final boolean isNotification;
  private final CallFuture<T> future;

  /** The time limit from the start, zero for none, and the deadline; unused for a notification. */
  private final Duration timeout;

  private final long due;

  /** Whether the time limit is the remaining time of a served call. */
  private final boolean isNested;

  /** Whether the layers have passed the call on. If so, the call may have been handled. */
  private volatile boolean hasLeft;

  /**
   * The messages that have no outcome yet. A message that has ended is not kept: a layer that repeats
   * the call sends many, and an error may be large. Guarded by this.
   */
  private final List<CallFuture<?>> underWay = new ArrayList<>(1);

  /** The timer of the end of this call while a layer holds it. Guarded by this. */
  private Clock.@Nullable Timer watch;

  /** Whether the end of the future cancels {@link #watch}. Guarded by this. */
  private boolean wasWatched;

  /** The headers for the message that passes the layers next. Written with the monitor. */
  private volatile Headers headers;

  /** The additional members for that message. Written with the monitor. */
  private volatile Map<String, Json> members;

  /** Gets the id of the message that passes the layers next. Written with the monitor. */
  private volatile @Nullable Consumer<Id> numbered;

  LayeredCall(CallBuilder call, Peer peer, Exit<T> exit) {
    this(call, peer, exit, null, false);
  }

  /**
   * Creates a call.
   *
   * @param batch the batch that the call is added to; null for a call that is sent on its own
   */
  LayeredCall(CallBuilder call, Peer peer, Exit<T> exit, @Nullable Batch batch) {
    this(call, peer, exit, batch, false);
  }

  private LayeredCall(
      CallBuilder call, Peer peer, Exit<T> exit, @Nullable Batch batch, boolean isNotification) {
    this.call = call;
    this.peer = peer;
    this.exit = exit;
    this.batch = batch;
    this.isNotification = isNotification;
    this.headers = call.headers;
    this.timeout = isNotification ? Duration.ZERO : peer.caller().timeout(call);
    this.due = peer.caller().clock.after(timeout);
    this.isNested = !isNotification && !timeout.equals(peer.caller().ownTimeout(call));
    this.members = call.members;
    this.numbered = call.numbered;
    this.future = new CallFuture<>(call.method, this, peer.caller().spin);
  }

  /** Passes a notification through the layers to its exit; throws the failure if there is one. */
  static void notify(CallBuilder call, Peer peer, Consumer<CallBuilder> exit, Handler layers) {
    Exit<@Nullable Object> without = given -> {
      exit.accept(given);
      return null;
    };
    CallFuture<?> sent = new LayeredCall<>(call, peer, without, null, true).through(layers);
    if (sent.isCompletedExceptionally()) {
      sent.await(); // throws the failure
    }
  }

  /** Cancels the call, on behalf of its future and of the futures derived from it. */
  @Override
  public void cancelCall() {
    future.cancelled();
    cancellation.cancel();
  }

  /** Returns the time until the deadline, zero after it; null if there is none. */
  @Nullable Duration timeLeft() {
    return CallTime.left(peer.caller().clock, due);
  }

  boolean hasDeadlineOfCaller() {
    return isNested;
  }

  boolean isNotification() {
    return isNotification;
  }

  boolean opensStream() {
    return call.stream != null;
  }

  boolean isPing() {
    return call.urgent;
  }

  boolean isBatched() {
    return batch != null;
  }

  /** Returns whether the call may be handled twice. A stream belongs to one connection. */
  boolean isIdempotent() {
    return !opensStream() && peer.caller().isIdempotent(call);
  }

  Headers headers() {
    return headers;
  }

  /** Sets a header; replaces an earlier value of the same name. */
  synchronized void header(String name, String value) {
    headers = MessageHeaders.with(headers, name, value);
  }

  Map<String, Json> members() {
    return members;
  }

  /** Sets an additional member; replaces an earlier value of the same name. */
  synchronized void member(String name, Json value) {
    members = MessageMembers.with(members, name, value);
  }

  /** Adds a consumer of the id. */
  synchronized void onId(Consumer<Id> consumer) {
    Consumer<Id> present = numbered;
    numbered = present == null ? consumer : present.andThen(consumer);
  }

  /** Returns the consumer of the id of the next message; a later message has its own. */
  private synchronized @Nullable Consumer<Id> nextNumbered() {
    Consumer<Id> next = numbered;
    numbered = call.numbered;
    return next;
  }

  @Override
  public boolean isInUnsentBatch() {
    return batch != null && !batch.isSent();
  }

  CallFuture<T> through(Handler layers) {
    Json params = call.paramsAsJson();
    Call seen = new Call(call.method, params, peer, peer.channel(), cancellation, call.progress);
    seen.set(KEY, this);
    cancellation.onCancel(this::cancelSent);
    try {
      complete(future, layers.handle(seen));
      watch();
    } catch (Exception e) {
      future.fail(e);
    }
    return future;
  }

  /**
   * Schedules the end of a call that a layer holds, before its first message or after the last one:
   * the layer may never end it. A message that is under way has its own time-out.
   */
  private void watch() {
    boolean isFirst;
    synchronized (this) {
      if (due == Clock.NEVER || watch != null || !underWay.isEmpty() || future.isDone()) {
        return;
      }
      Duration left = Objects.requireNonNull(timeLeft());
      watch = peer.caller().clock.schedule(left.plus(LAST_RESORT), Threads.CALLS, this::expire);
      isFirst = !wasWatched;
      wasWatched = true;
    }
    if (isFirst) {
      future.whenComplete((result, failure) -> stopWatch());
    }
  }

  private synchronized void stopWatch() {
    if (watch != null) {
      watch.cancel();
      watch = null;
    }
  }

  private void expire() {
    future.fail(late());
    cancellation.cancel();
  }

  /** Returns the failure of a call that a layer has held until its deadline. */
  private CallTimeoutException late() {
    String time = "within " + Times.text(timeout);
    return hasLeft
        ? new CallTimeoutException(
            "no answer to '" + call.method + "' " + time + "; it was not sent again")
        : CallTimeoutException.unsent(
            "'" + call.method + "' was not sent " + time, "no time was left");
  }

  @SuppressWarnings(
      "unchecked") // a layer that replaces the result must return a value of the same type
  private static <T extends @Nullable Object> void complete(
      CallFuture<T> future, @Nullable Object outcome) {
    if (outcome instanceof CompletionStage<?> stage) {
      stage.whenComplete((value, failure) -> {
        if (failure != null) {
          future.fail(UserCode.cause(failure));
        } else {
          future.succeed((T) value);
        }
      });
    } else {
      future.succeed((T) outcome);
    }
  }

  /** Requires that the deadline has not passed while a layer had the call. */
  private void requireTime() {
    if (due <= peer.caller().clock.nanos()) {
      throw late();
    }
    hasLeft = true;
  }

  static @Nullable Object leave(Call call) {
    call.cancellation().throwIfCancelled(); // cancelled in a layer
    LayeredCall<?> outgoing = Objects.requireNonNull(call.attributes().get(KEY));
    CallBuilder passed = outgoing.call.with(call.params());
    passed.headers = outgoing.headers;
    if (outgoing.due != Clock.NEVER) { // one deadline for all attempts
      outgoing.requireTime();
      passed.timeout = outgoing.timeout;
      passed.due = outgoing.due;
    }
    passed.members = outgoing.members;
    passed.numbered = outgoing.nextNumbered();
    CallFuture<?> future = outgoing.exit.leave(passed);
    if (future != null) {
      outgoing.sent(future);
    }
    return future;
  }

  private void sent(CallFuture<?> message) {
    synchronized (this) {
      underWay.add(message);
      stopWatch();
    }
    if (cancellation.isCancelled()) { // cancelSent() may have run before
      message.cancel(true);
    }
    // A future runs its first action last, after the actions of the layers that end the call.
    message.whenComplete((result, failure) -> ended(message));
  }

  private void ended(CallFuture<?> message) {
    synchronized (this) {
      underWay.remove(message);
    }
    watch();
  }

  private void cancelSent() {
    List<CallFuture<?>> messages;
    synchronized (this) {
      messages = List.copyOf(underWay);
    }
    messages.forEach(message -> message.cancel(true));
  }
}
