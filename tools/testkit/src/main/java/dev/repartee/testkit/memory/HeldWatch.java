package dev.repartee.testkit.memory;

import dev.repartee.limits.MemoryBudget;
import java.time.Duration;

/** Watches the memory that all connections of this process hold. */
public final class HeldWatch {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private HeldWatch() {}

  /** Waits until {@code from} to {@code to} bytes are held; fails the test after 30 s. */
  public static void await(MemoryBudget held, long from, long to) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while ((held.held() < from || held.held() > to) && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    long bytes = held.held();
    if (bytes < from || bytes > to) {
      throw new AssertionError(bytes + " bytes are held, not " + from + " to " + to);
    }
  }
}
