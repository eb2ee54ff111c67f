package dev.repartee.netty;

import dev.repartee.Call;
import dev.repartee.Json;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The methods that the worked examples call, and some that tests need. */
public final class Methods {
  final CountDownLatch waiting = new CountDownLatch(1);
  final CountDownLatch cancelled = new CountDownLatch(1);
  final AtomicLong reported = new AtomicLong();
  final CountDownLatch released = new CountDownLatch(1);

  Service service() {
    return Service.of(this);
  }

  @Rpc(lane = Lane.INLINE)
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  @Rpc
  public long sum(long... values) {
    return Arrays.stream(values).sum();
  }

  @Rpc
  public void update(int... values) {}

  @Rpc("notify_hello")
  public void notifyHello(int value) {}

  @Rpc("notify_sum")
  public void notifySum(int... values) {}

  @Rpc("get_data")
  public List<Object> getData() {
    return List.of("hello", 5);
  }

  @Rpc(lane = Lane.INLINE)
  public Json echo(Json value) {
    return value;
  }

  /** Answers once released. */
  @Rpc
  public String await() throws InterruptedException {
    waiting.countDown();
    return released.await(20, TimeUnit.SECONDS) ? "released" : "forgotten";
  }

  /** Ends when it is cancelled. */
  @Rpc
  public void linger(Call call) throws InterruptedException {
    call.cancellation().onCancel(cancelled::countDown);
    waiting.countDown();
    cancelled.await(20, TimeUnit.SECONDS);
  }

  /** Counts down to one. */
  @Rpc
  public String countdown(int from, Call call) {
    for (int i = from; i > 0; i--) {
      call.progress(i);
    }
    return "liftoff";
  }

  /** Reports once, then ends when it is cancelled. */
  @Rpc
  public void tick(Call call) throws InterruptedException {
    call.progress("tick");
    linger(call);
  }

  /** Reports much until it is cancelled. */
  @Rpc
  public void flood(Call call) {
    call.cancellation().onCancel(cancelled::countDown);
    String much = "x".repeat(64 << 10);
    waiting.countDown();
    while (!call.cancellation().isCancelled()) {
      call.progress(much);
      reported.addAndGet(much.length());
    }
  }

  @Rpc
  public String transport(Call call) {
    return call.channel().transport();
  }

  @Rpc
  public String header(String name, Call call) {
    Map<?, ?> headers = (Map<?, ?>) call.attributes().get("http.headers");
    return String.valueOf(headers.get(name));
  }

  @Rpc
  public Json ask(String method, Call call) {
    return call.peer().call(method, Json.class);
  }
}
