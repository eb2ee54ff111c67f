package dev.repartee.cli;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The demo service of {@code repartee serve}: the methods of the specification's examples (JSON-RPC
 * 2.0 section 7), and methods that show each feature of a connection.
 *
 * <p>The class and its methods are public because services consist of public methods. Methods that
 * cannot block run on the thread that reads the connection. Thread-safe.
 */
public final class Demo {
  private static final Json DATA = Json.parse("[\"hello\",5]");
  private static final long MAX_SLEEP_MILLIS = Duration.ofDays(1).toMillis();
  private static final int MAX_COUNTDOWN = 10_000;

  /** Creates the service. One object can serve all connections, because it has no state. */
  public Demo() {}

  /** Returns the difference of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal subtract(BigDecimal minuend, BigDecimal subtrahend) {
    return minuend.subtract(subtrahend);
  }

  /** Returns the sum of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal add(BigDecimal a, BigDecimal b) {
    return a.add(b);
  }

  /** Returns the sum of any number of numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal sum(BigDecimal... values) {
    BigDecimal sum = BigDecimal.ZERO;
    for (BigDecimal value : values) {
      sum = sum.add(value);
    }
    return sum;
  }

  /** Accepts and ignores any values: a notification of the specification's examples. */
  @Rpc(lane = Lane.INLINE)
  public void update(Json... values) {}

  /** Accepts and ignores a number: a notification of the specification's examples. */
  @Rpc(value = "notify_hello", lane = Lane.INLINE)
  public void notifyHello(BigDecimal n) {}

  /** Accepts and ignores numbers: a notification of the specification's examples. */
  @Rpc(value = "notify_sum", lane = Lane.INLINE)
  public void notifySum(BigDecimal... values) {}

  /** Returns {@code ["hello",5]}. */
  @Rpc(value = "get_data", lane = Lane.INLINE)
  public Json data() {
    return DATA;
  }

  /** Returns the value, byte for byte. */
  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /**
   * Waits, unless the call is cancelled.
   *
   * @param millis the time to wait in milliseconds, at most a day
   * @return {@code millis}
   * @throws RpcException if {@code millis} is out of range
   */
  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    requireRange("millis", millis, MAX_SLEEP_MILLIS);
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  /**
   * Fails with the given error.
   *
   * @throws RpcException always
   */
  @Rpc(lane = Lane.INLINE)
  public void fail(int code, String message, Optional<Json> data) {
    throw new RpcException(new RpcError(code, message, data.orElse(null)));
  }

  /**
   * Counts down to 1, with a progress notification for each number.
   *
   * @param from the first number, at most 10,000
   * @return {@code liftoff}
   * @throws RpcException if {@code from} is out of range
   */
  @Rpc
  public String countdown(int from, Call call) {
    requireRange("from", from, MAX_COUNTDOWN);
    for (int left = from; left > 0; left--) {
      call.cancellation().throwIfCancelled();
      call.progress(left);
    }
    return "liftoff";
  }

  /**
   * Returns a stream of the numbers from 1 to {@code count}.
   *
   * @throws RpcException if {@code count} is negative
   */
  @Rpc
  public Stream<Long> numbers(long count) {
    requireRange("count", count, Long.MAX_VALUE);
    return LongStream.rangeClosed(1, count).boxed();
  }

  /**
   * Calls a method of the caller over the same connection and returns its result.
   *
   * @throws RpcException if the caller answers with an error, the params are neither array nor
   *     object, or the connection cannot carry requests to the caller
   */
  @Rpc
  public Json ask(String method, Optional<Json> params, Call call) {
    params.ifPresent(Demo::requireStructured);
    CallBuilder question = peer(call).request(method);
    params.ifPresent(question::params);
    CallFuture<Json> answer = question.send(Json.class);
    call.cancellation().onCancel(() -> answer.cancel(true));
    try {
      return answer.await();
    } catch (RemoteRpcException e) {
      throw new RpcException(e.error()); // passed on, because it is the caller's own error
    }
  }

  /** Returns the transport, the remote address and the framing of the connection. */
  @Rpc(lane = Lane.INLINE)
  public ChannelInfo whoami(Call call) {
    return call.channel();
  }

  private static Peer peer(Call call) {
    try {
      return call.peer();
    } catch (IllegalStateException oneWay) {
      throw new RpcException(RpcError.INTERNAL_ERROR, Failure.reason(oneWay));
    }
  }

  private static void requireRange(String name, long value, long max) {
    if (value < 0 || value > max) {
      throw invalid(name + ": expected an integer from 0 to " + max + ", got another number");
    }
  }

  private static void requireStructured(Json params) {
    if (params.kind() != Json.Kind.ARRAY && params.kind() != Json.Kind.OBJECT) {
      throw invalid("params: expected an array or an object");
    }
  }

  private static RpcException invalid(String what) {
    Json data = Json.parse(new JsonWriter().string(what).toBytes());
    return new RpcException(new RpcError(RpcError.INVALID_PARAMS, "Invalid params", data));
  }
}
