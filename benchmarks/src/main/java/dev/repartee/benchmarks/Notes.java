package dev.repartee.benchmarks;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the notifications of one connection, which must be complete at the next request. */
final class Notes {
  private final AtomicInteger count = new AtomicInteger();

  void take() {
    count.getAndIncrement();
  }

  /**
   * Returns {@link Workload#NOTIFICATIONS}, and subtracts that number from the count.
   *
   * @throws IllegalStateException if fewer notifications were received before the request
   */
  int taken() {
    int more = count.addAndGet(-Workload.NOTIFICATIONS);
    if (more < 0) {
      throw new IllegalStateException(-more + " notifications were not taken before the request");
    }
    return Workload.NOTIFICATIONS;
  }
}
