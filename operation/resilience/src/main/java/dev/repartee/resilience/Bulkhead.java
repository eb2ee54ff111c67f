package dev.repartee.resilience;

import dev.repartee.internal.Times;
import java.time.Duration;

/**
 * A limit of the calls of a peer that run at the same time: a server that has become slow cannot
 * occupy all resources of this side. Further calls wait in the order of their arrival, or fail
 * immediately with {@link RejectedException}. Waiting calls hold no thread. Immutable: each method
 * returns a changed copy.
 */
public final class Bulkhead {
  final int running;
  final int waiting;
  final Duration timeout;

  private Bulkhead(int running, int waiting, Duration timeout) {
    this.running = running;
    this.waiting = waiting;
    this.timeout = timeout;
  }

  /**
   * Returns a limit without waiting calls.
   *
   * @param running the number of calls that are sent and not answered
   * @throws IllegalArgumentException if the number is not positive
   */
  public static Bulkhead of(int running) {
    if (running < 1) {
      throw new IllegalArgumentException("at least one call runs, not " + running);
    }
    return new Bulkhead(running, 0, Duration.ZERO);
  }

  /**
   * Sets the number of calls that may wait for the end of others, and their longest wait. The
   * time-out of a call includes this wait, and ends it, too.
   *
   * @throws IllegalArgumentException if the number or the time is negative, or the time is more than
   *     292 years
   */
  public Bulkhead waiting(int calls, Duration timeout) {
    if (calls < 0) {
      throw new IllegalArgumentException("the number of waiting calls is not negative: " + calls);
    }
    return new Bulkhead(running, calls, Times.require("timeout", timeout));
  }
}
