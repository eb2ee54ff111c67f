package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Workload;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the notifications of one connection, which must be complete at the next request. */
public final class NotificationCounter {
  private final AtomicInteger count = new AtomicInteger();

  void take() {
    count.getAndIncrement();
  }

  /**
   * Returns {@link Workload#NOTIFICATIONS}, and subtracts that number from the count.
   *
   * @throws IllegalStateException if fewer notifications were received before the request
   */
  public int taken() {
    int more = count.addAndGet(-Workload.NOTIFICATIONS);
    if (more < 0) {
      throw new IllegalStateException(-more + " notifications were not taken before the request");
    }
    return Workload.NOTIFICATIONS;
  }
}
