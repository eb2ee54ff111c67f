package dev.repartee.cli;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.ChannelInfo;
import dev.repartee.Invocation;
import dev.repartee.Json;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * The service that {@code repartee serve} offers: the methods of the specification's examples
 * (JSON-RPC 2.0 section 7), and one for each thing that a connection can do.
 *
 * <p>Public, class and methods, because services are made of public methods. Whatever cannot block
 * runs on the thread that reads the connection.
 */
public final class Demo {
  private static final Json DATA = Json.parse("[\"hello\",5]");
  private static final long MAX_SLEEP_MILLIS = Duration.ofDays(1).toMillis();
  private static final int MAX_COUNTDOWN = 10_000;

  /** A service without state: one may serve all connections. */
  public Demo() {}

  /** The difference of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal subtract(BigDecimal minuend, BigDecimal subtrahend) {
    return minuend.subtract(subtrahend);
  }

  /** The sum of two numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal add(BigDecimal a, BigDecimal b) {
    return a.add(b);
  }

  /** The sum of any number of numbers. */
  @Rpc(lane = Lane.INLINE)
  public BigDecimal sum(BigDecimal... values) {
    BigDecimal sum = BigDecimal.ZERO;
    for (BigDecimal value : values) {
      sum = sum.add(value);
    }
    return sum;
  }

  /** Takes whatever comes: a notification of the specification. */
  @Rpc(lane = Lane.INLINE)
  public void update(Json... values) {}

  /** Takes a number: a notification of the specification. */
  @Rpc(value = "notify_hello", lane = Lane.INLINE)
  public void notifyHello(BigDecimal n) {}

  /** Takes numbers: a notification of the specification. */
  @Rpc(value = "notify_sum", lane = Lane.INLINE)
  public void notifySum(BigDecimal... values) {}

  /** {@code ["hello",5]}. */
  @Rpc(value = "get_data", lane = Lane.INLINE)
  public Json data() {
    return DATA;
  }

  /** The value, byte for byte. */
  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /** Waits that long, unless it is cancelled. */
  @Rpc
  public long sleep(long millis, Call call) throws InterruptedException {
    requireRange("millis", millis, MAX_SLEEP_MILLIS);
    call.cancellation().sleep(Duration.ofMillis(millis));
    return millis;
  }

  /** Fails as it is told. */
  @Rpc(lane = Lane.INLINE)
  public void fail(int code, String message, Optional<Json> data) {
    throw new RpcException(new RpcError(code, message, data.orElse(null)));
  }

  /** Counts down to 1, a progress notification for each number, and takes off. */
  @Rpc
  public String countdown(int from, Call call) {
    requireRange("from", from, MAX_COUNTDOWN);
    for (int left = from; left > 0; left--) {
      call.cancellation().throwIfCancelled();
      call.progress(left);
    }
    return "liftoff";
  }

  /** Calls the caller back over the same connection and returns its answer, be it an error. */
  @Rpc
  public Json ask(String method, Optional<Json> params, Call call) {
    params.ifPresent(Demo::requireStructured);
    Invocation question = peer(call).request(method);
    params.ifPresent(question::params);
    CallFuture<Json> answer = question.send(Json.class);
    call.cancellation().onCancel(() -> answer.cancel(true));
    return answer.await();
  }

  /** The connection as the server sees it. */
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
    Json data = Json.parse(new dev.repartee.Output().string(what).toBytes());
    return new RpcException(new RpcError(RpcError.INVALID_PARAMS, "Invalid params", data));
  }
}
