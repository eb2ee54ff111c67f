package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.HashTable;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.message.ParsedFrame;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing call that waits for its answer. Thread-safe.
 *
 * <pre>
 *   unsent --> sent
 *        \--> given up
 * </pre>
 *
 * A call is given up when it is cancelled or times out. If that happens in the state unsent, the
 * call is not sent. If its frame is being committed at that moment, {@link #sent} returns false
 * afterwards, and the thread that commits sends the cancellation. The peer receives a cancellation
 * only for a call that was sent, only once, and after the call.
 */
class Pending<T extends @Nullable Object> extends HashTable.Entry<Pending<?>>
    implements Unsent, CallFuture.Origin {
  private static final byte UNSENT = 0;
  private static final byte SENT = 1;
  private static final byte GIVEN_UP = 2;
  private static final byte[] NULL = Json.NULL.toBytes();

  /** The answer that ends a stream without items. */
  private static final byte[] NO_ITEMS = {'0'};

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Pending.class, "state", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The time limit, on the clock of {@link Caller#clock}. */
  final long due;

  /** The time from the start of the call to {@link #due}. */
  final Duration timeout;

  final JsonType<T> type;
  final @Nullable Consumer<Json> progress;
  final @Nullable ReceivedStream<?> stream;
  private final boolean idempotent;
  final boolean urgent;
  private final Caller caller;
  final CallFuture<T> future;
  private volatile byte state = UNSENT;

  /** Whether the call waits in a {@link Batch} for its {@link Batch#send}. */
  volatile boolean inUnsentBatch;

  /**
   * True once the response has arrived. Written under the lock of the {@link PendingCalls}; read by
   * the thread that completes the future.
   */
  boolean answered;

  /**
   * The message to notify of the end of this call; null if there is none, or it was notified.
   * Guarded by this.
   */
  private @Nullable CallMessage message;

  /**
   * The headers of the newest message with this call, for its cancellation. Written before the
   * commit by the thread that sends the message; read after {@link #giveUp} has returned true.
   */
  Headers headers = Headers.NONE;

  /** The table that has this call, or null. Guarded by the lock of that table. */
  @Nullable PendingCalls table;

  Pending(Caller caller, Duration timeout, CallBuilder call, JsonType<T> type) {
    this.caller = caller;
    this.due = call.due == 0 ? caller.clock.after(timeout) : call.due;
    this.timeout = timeout;
    this.type = type;
    this.progress = call.progress;
    this.stream = call.stream;
    this.idempotent = call.idempotent;
    this.urgent = call.urgent;
    this.future = new CallFuture<>(call.method, this, caller.spin);
  }

  /** Returns the caller that has this call in its table. */
  Caller caller() {
    return caller;
  }

  /**
   * Returns the failure after the time limit.
   *
   * @param rest the name of the other side, and the rest of the message
   * @param sent whether the other side may have handled the call
   */
  CallTimeoutException late(String rest, boolean sent) {
    String time = Times.text(timeout);
    return sent
        ? new CallTimeoutException(
            "no answer to '" + method() + "' within " + time + " from " + rest)
        : CallTimeoutException.unsent(
            "'" + method() + "' was not sent within " + time + " to " + rest,
            inUnsentBatch ? "its batch was not sent" : "no connection was open within " + time);
  }

  /** Returns the id of the call; 0 until {@link PendingCalls#add} assigns it. */
  long id() {
    return key;
  }

  /** Returns the name of the called method. */
  String method() {
    return future.method;
  }

  /** Returns whether the call was cancelled or timed out before it was sent. Acquires no lock. */
  @Override
  public boolean isGivenUpUnsent() {
    return state == GIVEN_UP;
  }

  @Override
  public OutgoingMessage message(OutboundFrame text, Headers headers, Caller by) {
    return new CallMessage(text, headers, by, List.of(this), false);
  }

  /**
   * Notifies a message with this call of the end of the call.
   *
   * @param by the caller that sends the message
   */
  void notifyAtEnd(CallMessage message, Caller by) {
    synchronized (this) {
      this.message = message;
    }
    future.whenComplete((result, failure) -> endMessage());
  }

  /**
   * Notifies the message now. The future does so after the callbacks of the user, which may be
   * slow, and may send a message that needs the room of this one.
   */
  void endMessage() {
    CallMessage present;
    synchronized (this) {
      present = message;
      message = null;
    }
    if (present != null) {
      present.ended(this);
    }
  }

  /**
   * Records that the frame was committed. Returns false if the call was given up during the commit:
   * then the caller has to send the cancellation.
   *
   * @param by the caller that has committed it
   */
  boolean sent(Caller by) {
    return STATE.compareAndSet(this, UNSENT, SENT);
  }

  /**
   * Enters the state "given up" unless the call was sent. Returns true if the call was sent: then
   * the caller of this method has to send the cancellation.
   */
  boolean giveUp() {
    return !STATE.compareAndSet(this, UNSENT, GIVEN_UP);
  }

  /** Returns the call to the state unsent, after the connection that it was sent over has ended. */
  final void unsend() {
    state = UNSENT;
  }

  @Override
  public boolean isInUnsentBatch() {
    return inUnsentBatch;
  }

  /** Returns whether a stream that the call has opened has room for more items. */
  boolean takesItems() {
    return stream == null || stream.hasRoom();
  }

  /**
   * Receives items of the result. Over HTTP they arrive although the caller expects no stream. The
   * call then fails immediately, unless its type can be the number of items, which is the answer to
   * it.
   *
   * @return false if the caller expects no stream
   */
  boolean push(Json items) {
    if (stream != null) {
      stream.items(items);
      return true;
    }
    try {
      type.read(NO_ITEMS, 0, NO_ITEMS.length, caller().unknownResults());
    } catch (RuntimeException e) {
      future.completeExceptionally(new JsonException("the result of '" + method()
          + "' is a stream; declare RemoteStream<T> (or Flow.Publisher<T>) as the result type, or"
          + " call stream(T.class) of the request"));
    }
    return false;
  }

  /** Returns whether the caller has declared that the call may run twice. */
  boolean isIdempotent() {
    return idempotent;
  }

  @Override
  public long timeLeft() {
    return due == Clock.NEVER ? Long.MAX_VALUE : due - caller.clock.nanos();
  }

  /** Ends the call, which has left the table, because its connection has ended. */
  void disconnected(DisconnectedException cause) {
    future.fail(cause);
  }

  /** Ends the call, which has left the table, because its message has failed alone. */
  void failed(Throwable cause) {
    future.fail(cause);
  }

  /** Ends the call, which has left the table, with the error of the other side. */
  void refused(RemoteRpcException error) {
    future.fail(error);
  }

  /** Cancels the call when its future, or a future derived from it, is completed by a user. */
  @Override
  public void cancelCall() {
    caller().cancelled(this);
    future.cancelled();
  }

  /** Ends calls that have left the table. If that fails for a call, its future gets the failure. */
  static void endAll(List<Pending<?>> left, Consumer<Pending<?>> end) {
    for (Pending<?> pending : left) {
      try {
        end.accept(pending);
      } catch (Throwable e) { // such as an OutOfMemoryError for the message
        pending.future.fail(e);
      }
    }
  }

  /** Completes the future with the answer, the i-th message of the frame. Throws nothing. */
  void answer(ParsedFrame in, int i) {
    try {
      if (in.isFlawed(i)) {
        throw new ProtocolException(Objects.requireNonNull(in.violation(i)));
      } else if (in.resultFrom(i) != in.resultTo(i)) {
        T result =
            type.read(in.bytes(), in.resultFrom(i), in.resultTo(i), caller().unknownResults());
        if (stream != null) {
          stream.subscribed((Json) result);
        }
        future.succeed(result);
      } else if (in.errorFrom(i) != in.errorTo(i)) {
        refused(caller().refusal(method(), in, i));
      } else { // an envelope that leaves out the result null
        future.succeed(type.read(NULL, 0, NULL.length, caller().unknownResults()));
      }
    } catch (ProtocolException e) {
      future.fail(new ProtocolException(
          "the answer to '" + method() + "' is no response: " + e.getMessage()));
    } catch (JsonException e) {
      future.fail(new JsonException("the result of '" + method() + "': " + e.getMessage()));
    } catch (Throwable e) {
      future.fail(e);
    }
  }
}
