package dev.repartee.benchmarks.attacks;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.load.Latencies;
import dev.repartee.benchmarks.load.LatencySummary;
import dev.repartee.benchmarks.process.Replies;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process of a well-behaved client. For a URI it connects and warms up the server. At the line
 * {@code begin} it starts to call every 10 ms, and at {@code end} it prints its {@link
 * LatencySummary}.
 */
final class WellBehavedMain {
  private static final long PACE = TimeUnit.MILLISECONDS.toNanos(10);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static @Nullable Calls calls;

  private WellBehavedMain() {}

  public static void main(String[] args) {
    Replies.serve(words -> switch (words[0]) {
      case "begin" -> {
        Objects.requireNonNull(calls).start();
        yield "begun";
      }
      case "end" -> Objects.requireNonNull(calls).experience().line();
      default -> {
        calls = new Calls(Repartee.connect(words[0]));
        yield "ready";
      }
    });
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
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
      while (System.nanoTime() < end) {
        call();
      }
    }

    private void call() {
      if (peer.request("subtract").args(42, 23).timeout(PATIENCE).call(int.class) != 19) {
        throw new IllegalStateException("the server gave a wrong answer");
      }
    }

    @Override
    public void run() {
      while (!over) {
        long start = System.nanoTime();
        try {
          call();
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
      peer.close();
      return latencies.experience(failed);
    }
  }
}
