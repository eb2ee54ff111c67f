package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Latencies;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.VirtualThreads;
import dev.repartee.benchmarks.load.Workload;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The limit of calls that sleep: the same number of virtual threads that sleep for the same time,
 * started and joined in one process, without a call or a connection. The sleeping time is not the
 * limit, since starting thousands of threads takes longer.
 */
final class RawSleep implements LoadClient {
  private static final int RAMP = 10;

  static Address noServer(Workload workload) {
    return Address.port(0);
  }

  @Override
  public Sample run(Address server, Workload workload, Shape shape, Duration time)
      throws Exception {
    Executor threads = VirtualThreads.executor();
    int crowd = shape.connections() * shape.inFlight();
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < time.toNanos() / RAMP) {
      wave(threads, crowd);
    }
    Latencies latencies = new Latencies();
    long started = System.nanoTime();
    long waves = 0;
    long now = started;
    while (now - begun < time.toNanos()) {
      wave(threads, crowd);
      latencies.record(System.nanoTime() - now);
      now = System.nanoTime();
      waves++;
    }
    return latencies.sample(waves * crowd / ((now - started) / 1e9));
  }

  private static void wave(Executor threads, int crowd) throws InterruptedException {
    CountDownLatch missing = new CountDownLatch(crowd);
    for (int i = 0; i < crowd; i++) {
      threads.execute(() -> sleep(missing));
    }
    missing.await();
  }

  private static void sleep(CountDownLatch missing) {
    try {
      TimeUnit.MILLISECONDS.sleep(1);
      missing.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
