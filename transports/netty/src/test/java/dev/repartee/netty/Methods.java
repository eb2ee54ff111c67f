package dev.repartee.netty;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.transport.http.HttpRequest;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The methods of the examples, and some that wait or look at the connection. */
public final class Methods extends ExampleMethods {
  final CountDownLatch waiting = new CountDownLatch(1);
  final CountDownLatch cancelled = new CountDownLatch(1);
  final AtomicLong reported = new AtomicLong();
  final CountDownLatch released = new CountDownLatch(1);

  /** Returns once it is released. */
  @Rpc
  public String await() throws InterruptedException {
    waiting.countDown();
    return released.await(60, TimeUnit.SECONDS) ? "released" : "forgotten";
  }

  /** Waits until it is cancelled. */
  @Rpc
  public void linger(Call call) throws InterruptedException {
    call.cancellation().onCancel(cancelled::countDown);
    waiting.countDown();
    cancelled.await(60, TimeUnit.SECONDS);
  }

  /** Reports the numbers from {@code from} down to 1. */
  @Rpc
  public String countdown(int from, Call call) {
    for (int i = from; i > 0; i--) {
      call.progress(i);
    }
    return "liftoff";
  }

  /** Reports once, then waits until it is cancelled. */
  @Rpc
  public void tick(Call call) throws InterruptedException {
    call.progress("tick");
    linger(call);
  }

  /** Reports large values until it is cancelled. */
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
    Map<String, String> headers = call.attributes().get(HttpRequest.HEADERS);
    return String.valueOf(headers.get(name));
  }
}
