package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import dev.repartee.internal.Batched;
import dev.repartee.internal.TextChecks;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.OutboundFrame;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One inbound request or notification while it is served: the positions of its params, and its
 * answer. The subclasses are its two life cycles: a {@link BorrowedExchange} is served immediately
 * from the read buffer, an {@link OwnedExchange} has a copy of its bytes and can outlive the frame.
 */
abstract class Exchange extends ResponseWriter {
  private static final Attribute<Batched> BATCHED = Attribute.named("batched");

  /*
   * Implementation note. Each answer goes the same way: claimAnswer() decides whether this thread
   * may answer, then the ResponseWriter writes and sends the response. After the claim no other
   * thread can answer. From then on no exception may leave this class:
   *
   * - A failure before the commit of a result is answered with an error.
   * - A failure of that error or of the commit ends the connection (Connection.commit). A second
   *   response would be wrong, since it is unknown whether the frame will be sent.
   *
   * The method handles of TypedMethod call cursor, call() and the methods result() directly, so
   * that a result of a primitive type is never boxed.
   */

  private static final int[] NO_SPANS = {};

  int paramsFrom;

  /** The end of the params; equal to {@link #paramsFrom} if there are none. */
  int paramsTo;

  /** The spans of the arguments: for each its start and its end in {@link #bytes}. */
  private int[] spans;

  /** The number of positional params in {@link #spans}, or {@link ParsedFrame#UNKNOWN}. */
  int elements = ParsedFrame.UNKNOWN;

  /** The cursor that reads the arguments. */
  final JsonReader cursor = new JsonReader(NO_BYTES, 0, 0);

  private @Nullable RpcMethod method;

  /** The checks that replace the layers of this call; null if there are none, or they refused it. */
  TextChecks.@Nullable OfMethod checks;

  /** Creates an exchange with room for the spans of that many arguments. */
  Exchange(int arguments) {
    spans = arguments == 0 ? NO_SPANS : new int[2 * arguments];
  }

  /** Points this exchange at the message, without a copy and without the spans. */
  final void pointAt(Connection connection, Element element, RpcMethod method) {
    this.method = method;
    answerTo(connection, element, method.name());
    paramsFrom = element.paramsFrom();
    paramsTo = element.paramsTo();
    cursor.unknown(connection.context().unknownParams(method));
  }

  /** Copies the spans of the positional params, each reduced by {@code shift}. */
  final void takeSpans(ParsedFrame frame, int shift) {
    elements = frame.elements();
    frame.spans(spans, shift);
  }

  @Override
  final void release() {
    super.release();
    cursor.move(NO_BYTES, 0, 0);
    method = null;
    elements = ParsedFrame.UNKNOWN;
    checks = null;
  }

  final boolean isNotification() {
    return !hasId();
  }

  /** Returns the array of spans with room for that many arguments. */
  final int[] spans(int arguments) {
    if (spans.length < 2 * arguments) {
      spans = Arrays.copyOf(spans, 2 * arguments);
    }
    return spans;
  }

  final RpcMethod method() {
    return Objects.requireNonNull(method);
  }

  final Id id() {
    return Id.received(UnsafeJson.copy(bytes, idFrom, idTo));
  }

  final @Nullable Json params() {
    return paramsFrom == paramsTo ? null : json(paramsFrom, paramsTo);
  }

  /** Returns a part of the bytes that stays valid after this exchange. */
  abstract Json json(int from, int to);

  /** Returns the call for handlers and for the listener. */
  abstract Call call();

  /** Returns {@link #call()} as a handle of type (Exchange)Call. */
  static MethodHandle callHandle() throws ReflectiveOperationException {
    return MethodHandles.lookup().findVirtual(Exchange.class, "call", methodType(Call.class));
  }

  /**
   * Creates the call.
   *
   * @param sender sends progress and notifications; null if none are sent
   */
  final Call call(
      @Nullable OwnedExchange sender,
      Cancellation cancellation,
      long deadline,
      Attributes attributes) {
    return new Call(
        method(),
        params(),
        isNotification() ? null : id(),
        connection(),
        sender,
        cancellation,
        deadline,
        isInBatch() ? attributes.with(BATCHED, Batched.BATCHED) : attributes);
  }

  // ---------------------------------------------------------------- answers

  /** Claims the right to answer; false if the exchange is answered already. Throws nothing. */
  abstract boolean claimAnswer();

  /**
   * Returns the method {@code result} for a primitive type as a handle of type (Exchange, N)void.
   *
   * @param number {@code int}, {@code long}, {@code float}, {@code double} or {@code boolean}
   */
  static MethodHandle resultHandle(Class<?> number) throws ReflectiveOperationException {
    return MethodHandles.lookup()
        .findVirtual(Exchange.class, "result", methodType(void.class, number));
  }

  final void result(int value) {
    answer(Primitive.INT, value, null, null);
  }

  final void result(long value) {
    answer(Primitive.LONG, value, null, null);
  }

  final void result(float value) {
    answer(Primitive.FLOAT, Float.floatToRawIntBits(value), null, null);
  }

  final void result(double value) {
    answer(Primitive.DOUBLE, Double.doubleToRawLongBits(value), null, null);
  }

  final void result(boolean value) {
    answer(Primitive.BOOLEAN, value ? 1 : 0, null, null);
  }

  /**
   * Answers with a result; returns whether it was committed, which means that later frames follow.
   */
  final <T extends @Nullable Object> boolean result(JsonType<T> type, T value) {
    return answer(Primitive.VOID, 0, type, value);
  }

  /** Returns {@link #nothing} as a handle of type (Exchange)void. */
  static MethodHandle nothingHandle() throws ReflectiveOperationException {
    return MethodHandles.lookup().findVirtual(Exchange.class, "nothing", methodType(void.class));
  }

  /** Answers with the result null, for a method that returns nothing. */
  final void nothing() {
    answer(Primitive.VOID, 0, null, null);
  }

  /** Answers with a result: an object if {@code type} is not null, otherwise a primitive value. */
  private <T extends @Nullable Object> boolean answer(
      Primitive primitive, long bits, @Nullable JsonType<T> type, T value) {
    if (isNotification()) {
      return false;
    }
    TextChecks.OfMethod checks = this.checks;
    return checks == null
        ? claimAnswer() && claimed(primitive, bits, type, value)
        : checked(checks, primitive, bits, type, value);
  }

  private <T extends @Nullable Object> boolean claimed(
      Primitive primitive, long bits, @Nullable JsonType<T> type, T value) {
    OutboundFrame out = null;
    try {
      out = open();
      beginResult(out);
      write(out, primitive, bits, type, value);
      endResult(out);
      return true;
    } catch (Throwable e) {
      discard(out);
      send(e instanceof LimitException limit ? ResponseWriter.tooLarge(limit) : reported(e));
      return false;
    }
  }

  private static <T extends @Nullable Object> void write(
      OutboundFrame out, Primitive primitive, long bits, @Nullable JsonType<T> type, T value) {
    if (type == null) {
      primitive.write(out, bits);
    } else {
      type.write(out, value);
    }
  }

  /**
   * Answers with a result if the checks accept it. Otherwise the result passes through the layers,
   * which also report a result that cannot be written. The check may be long, and the claim follows
   * the check: until then the call can be cancelled, and its deadline may pass.
   */
  private <T extends @Nullable Object> boolean checked(
      TextChecks.OfMethod checks,
      Primitive primitive,
      long bits,
      @Nullable JsonType<T> type,
      T value) {
    boolean claimed = false;
    OutboundFrame out = null;
    try {
      out = open();
      beginResult(out);
      int from = out.size();
      write(out, primitive, bits, type, value);
      if (checks.acceptsResult(out.array(), from, out.size())) {
        claimed = claimAnswer();
        if (claimed) {
          endResult(out);
        } else {
          discard(out);
        }
        return claimed;
      }
    } catch (Throwable e) {
      // The layers get the result, and meet the same failure.
    }
    discard(out);
    try {
      Object given = type == null ? primitive.box(bits) : value;
      Object result = connection().context().throughLayers(call(), call -> given);
      return (claimed || claimAnswer())
          && claimed(Primitive.VOID, 0, method().resultType(), result);
    } catch (Throwable e) {
      fail(e, claimed || claimAnswer());
      return false;
    }
  }

  /**
   * Answers with the error that an exception of the handler maps to. The claim comes first, since
   * the listener is notified of a failed call only if the caller gets the error. Throws nothing.
   */
  void fail(Throwable failure) {
    fail(failure, claimAnswer());
  }

  private void fail(Throwable failure, boolean claimed) {
    Throwable cause = UserCode.cause(failure);
    if (claimed) {
      send(errorFor(cause));
    } else {
      connection().failedLate(method().name(), cause);
    }
  }

  /** Returns the error that an exception maps to; reports an internal error to the listener. */
  final RpcError errorFor(Throwable cause) {
    if (cause instanceof RpcException own && !(cause instanceof RemoteRpcException)) {
      return ofUserCode(own.error());
    }
    RpcError error = connection().context().errorFor(cause);
    return error == null ? reported(cause) : ofUserCode(error);
  }

  /**
   * Returns the error of a handler or an exception mapper. It may be the refusal of another server
   * that closes. Its data would say that this call was not handled either, and are removed.
   */
  private RpcError ofUserCode(RpcError error) {
    boolean isForeignRefusal = !method().isImmediate()
        && Ending.isClosing(error, connection().options().dialect());
    return isForeignRefusal ? new RpcError(error.code(), error.message()) : error;
  }

  /**
   * Reports a failure to the listener; returns the internal error. Throws nothing: the caller is
   * answered in any case.
   */
  final RpcError reported(Throwable cause) {
    try {
      connection().context().failed(call(), cause);
    } catch (Throwable e) {
      // The listener does not get this failure.
    }
    return Errors.INTERNAL;
  }

  /** Reports that this call ends before any layer has seen it. Throws nothing. */
  final void reportRefused(String reason, RpcError error, Attributes attributes) {
    if (method().isImmediate()) {
      return; // an error that waits for its turn, and was reported before
    }
    connection()
        .refused(() -> connection()
            .refusedCall(
                attributes,
                method().name(),
                method().isServed(),
                isNotification() ? null : id(),
                reason,
                error));
  }

  /** Answers a claimed request with an error, or counts a failed notification. Throws nothing. */
  void send(RpcError error) {
    if (isNotification()) {
      connection().scheduler().calls().failed();
    } else {
      writeError(error);
    }
  }
}
