package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Text;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The remaining time of calls: its form in messages ({@link Deadlines.Field}), and the remaining
 * time of the call that the present thread serves.
 */
final class CallTime {
  /** The name of the header. */
  static final String HEADER = Times.HEADER;

  /** The member of params by name for facts beside the arguments, as MCP and ACP define it. */
  private static final String META = "_meta";

  /** The name of the member of {@code _meta}. */
  private static final String IN_META = "dev.repartee/timeoutMs";

  /** The name of the member of the message: the header as other members are written. */
  static final String MEMBER = "repartee-timeout-ms";

  /** The value for a call without a stated time; equal to the result of {@link Text#number}. */
  static final long NONE = -1;

  /** The exchange with a deadline that the thread serves. */
  private static final ThreadLocal<@Nullable OwnedExchange> SERVED = new ThreadLocal<>();

  /** Whether there was such an exchange. Until then outgoing calls cost a read of this field. */
  private static volatile boolean used;

  private CallTime() {}

  // ---------------------------------------------------------------- the call of this thread

  /** Sets the exchange that this thread serves; returns the present one for {@link #leave}. */
  static @Nullable OwnedExchange enter(OwnedExchange x) {
    if (!used) { // a write would cost each call
      used = true;
    }
    OwnedExchange outer = SERVED.get();
    SERVED.set(x);
    return outer;
  }

  /** Continues with the exchange that was served before. */
  static void leave(@Nullable OwnedExchange outer) {
    SERVED.set(outer); // remove() would discard an entry that the next call needs again
  }

  /**
   * Returns the time limit of an outgoing call: its own, zero for none, or the remaining time of the
   * call that this thread serves if this time is shorter.
   *
   * @throws CallTimeoutException if no time is left
   */
  static Duration limited(String method, Duration own) {
    OwnedExchange served = used ? SERVED.get() : null;
    return served == null
        ? own
        : shorter(method, own, left(served.connection().options().clock(), served.due()));
  }

  /** Returns the time until a deadline, zero after it; null for {@link Clock#NEVER}. */
  static @Nullable Duration left(Clock clock, long due) {
    return due == Clock.NEVER ? null : Duration.ofNanos(Math.max(0, due - clock.nanos()));
  }

  /**
   * Returns the shorter of the time limit of an outgoing call, zero for none, and another time, null
   * for none.
   *
   * @throws CallTimeoutException if the other time is zero
   */
  static Duration shorter(String method, Duration own, @Nullable Duration left) {
    if (left == null) {
      return own;
    }
    if (left.isZero()) {
      throw CallTimeoutException.unsent(
          "'" + method + "' was not sent: the deadline of the call that it belongs to has passed",
          "no time was left");
    }
    return own.isZero() || left.compareTo(own) < 0 ? left : own;
  }

  /** Returns the failure of a call that has waited until its deadline for the write queue. */
  static CallTimeoutException noRoom(CallBuilder call, String remote) {
    Duration timeout = Objects.requireNonNull(call.timeout);
    return CallTimeoutException.unsent(
        "'" + call.method + "' was not sent within " + Times.text(timeout) + " to " + remote
            + ": the write queue is full",
        "the write queue is full");
  }

  // ---------------------------------------------------------------- writing

  /** Returns the milliseconds to state for a time in nanoseconds; {@link #NONE} for no limit. */
  static long millis(long nanos) {
    return nanos == Long.MAX_VALUE ? NONE : Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /** Returns the headers with the time, if there is one. */
  static Headers with(Headers headers, long millis) {
    return millis == NONE ? headers : headers.with(HEADER, Long.toString(millis));
  }

  /** Returns the params with the time; the same ones if they are by position. */
  static @Nullable Json with(@Nullable Json params, long millis) {
    Json named = Json.EMPTY_ARRAY.equals(params) ? null : params;
    if (named != null && named.kind() != Json.Kind.OBJECT) {
      return params;
    }
    Json meta = named == null ? null : named.get(META);
    if (meta != null && meta.kind() != Json.Kind.OBJECT) {
      return params;
    }
    Json stated = JsonObjectBuilder.of(meta).put(IN_META, millis).build();
    return JsonObjectBuilder.of(named).put(META, stated).build();
  }

  // ---------------------------------------------------------------- reading

  /**
   * Returns the milliseconds that the sender of a call has left for it, or {@link #NONE}.
   *
   * @param attributes the attributes of the call
   */
  static long received(Connection connection, OwnedExchange x, Attributes attributes) {
    Deadlines rules = connection.options().deadlines();
    long header = rules.acceptsHeader ? ofMessage(connection) : NONE;
    long meta = rules.acceptsMeta ? ofParams(x.params()) : NONE;
    long member = rules.acceptsMember ? of(MessageMembers.in(attributes, MEMBER)) : NONE;
    return shortest(shortest(header, meta), member);
  }

  private static long shortest(long one, long other) {
    return one == NONE || other == NONE ? Math.max(one, other) : Math.min(one, other);
  }

  /**
   * Returns the time in the header of a message without a connection. The headers of a connection,
   * such as the headers of a WebSocket handshake, belong to no call.
   */
  private static long ofMessage(Connection connection) {
    if (connection.peer() != null) {
      return NONE;
    }
    String time = HttpRequest.header(connection.attributes(), HEADER);
    return time == null ? NONE : Text.number(time);
  }

  private static long ofParams(@Nullable Json params) {
    Json meta = params == null || params.kind() != Json.Kind.OBJECT ? null : params.get(META);
    return of(meta == null || meta.kind() != Json.Kind.OBJECT ? null : meta.get(IN_META));
  }

  private static long of(@Nullable Json time) {
    return time == null || time.kind() != Json.Kind.NUMBER || time.length() > Text.DIGITS
        ? NONE
        : Text.number(time.toString());
  }

  /**
   * Returns the error that answers a call after its deadline.
   *
   * @param received the milliseconds that the sender had left, or {@link #NONE}
   */
  static RpcError passed(Options options, long received) {
    long own = options.limits().handlerTimeout().toMillis();
    if (received == NONE || own != 0 && own <= received) {
      return options.dialect().deadlinePassed(own);
    }
    RpcError passed = options.dialect().deadlinePassed(received);
    Json data = passed.data();
    return data == null || data.kind() != Json.Kind.OBJECT || data.get("limit") == null
        ? passed
        : new RpcError(
            passed.code(),
            passed.message(),
            JsonObjectBuilder.of(data).put("limit", "timeout").build());
  }

  /**
   * Returns the deadline of a call that has arrived now.
   *
   * @param received the milliseconds that the sender had left, or {@link #NONE}
   */
  static long due(Options options, long received) {
    long own = options.clock().after(options.limits().handlerTimeout());
    if (received == NONE) {
      return own;
    }
    return received == 0
        ? options.clock().nanos()
        : Math.min(own, options.clock().after(Duration.ofMillis(received)));
  }
}
