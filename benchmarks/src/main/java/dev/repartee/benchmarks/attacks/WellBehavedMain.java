package dev.repartee.benchmarks.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.load.Latencies;
import dev.repartee.benchmarks.load.LatencySummary;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process of a well-behaved client. For each URI that it reads, it connects, warms up the
 * server and prints a line. At the next input line it starts to call every 10 ms, and at the one
 * after that it prints its {@link LatencySummary}.
 */
final class WellBehavedMain {
  private static final long PACE = TimeUnit.MILLISECONDS.toNanos(10);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private WellBehavedMain() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String uri = in.readLine(); uri != null; uri = in.readLine()) {
      try (Peer peer = Repartee.connect(uri)) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        while (System.nanoTime() < end) {
          call(peer);
        }
        System.out.println("ready");
        in.readLine();
        Calls calls = new Calls(peer);
        calls.start();
        in.readLine();
        System.out.println(calls.experience().line());
      }
    }
    System.exit(0);
  }

  private static void call(Peer peer) {
    if (peer.request("subtract").args(42, 23).timeout(PATIENCE).call(int.class) != 19) {
      throw new IllegalStateException("the server gave a wrong answer");
    }
  }

  /** Makes calls at a fixed interval, and fills in the calls that a long call has delayed. */
  private static final class Calls extends Thread {
    private final Peer peer;
    private final Latencies latencies = new Latencies();
    private int failed;
    private volatile boolean over;

    Calls(Peer peer) {
      super("well-behaved-client");
      this.peer = peer;
    }

    @Override
    public void run() {
      while (!over) {
        long start = System.nanoTime();
        try {
          call(peer);
        } catch (RuntimeException e) {
          failed++;
        }
        latencies.record(System.nanoTime() - start, PACE);
        long left = start + PACE - System.nanoTime();
        while (left > 0) {
          LockSupport.parkNanos(left);
          left = start + PACE - System.nanoTime();
        }
      }
    }

    LatencySummary experience() throws InterruptedException {
      over = true;
      join();
      return latencies.experience(failed);
    }
  }
}
