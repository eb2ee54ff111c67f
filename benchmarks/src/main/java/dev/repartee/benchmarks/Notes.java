package dev.repartee.benchmarks;

import java.util.concurrent.atomic.AtomicInteger;

/** The notifications that one connection brought: so many have to be there when it is asked. */
final class Notes {
  private final AtomicInteger count = new AtomicInteger();

  void take() {
    count.getAndIncrement();
  }

  /**
   * How many a request owes its answer to; they count for no other.
   *
   * @throws IllegalStateException if not all of them were taken before it
   */
  int taken() {
    int more = count.addAndGet(-Workload.NOTIFICATIONS);
    if (more < 0) {
      throw new IllegalStateException(-more + " notifications were not taken before the request");
    }
    return Workload.NOTIFICATIONS;
  }
}
