package dev.repartee;

import dev.repartee.internal.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait in one queue, and the speed with which they start: an estimate of the time
 * that one more call would wait. Thread-safe.
 */
final class Backlog {
  /*
   * Implementation note. The estimate is the number of calls that wait, times the mean time between
   * two starts while calls wait. The mean is measured at the starts and contains everything that
   * determines the speed: the number of threads, the time of the handlers, room for answers.
   *
   * The call that is next in line is never refused. Otherwise a mean from a slow time would refuse
   * every call, and without starts it would never change.
   */

  /** The weight of a new time in the mean is 1 / 2^SHIFT. */
  private static final int SHIFT = 3;

  private final Clock clock;

  private int waiting;

  /** The time of the last start, or the time since which calls wait. */
  private long last;

  /** The mean time between two starts; negative before the first. */
  private long mean = -1;

  private Backlog(Clock clock) {
    this.clock = clock;
  }

  /** Returns a backlog if the options include load shedding, else null. */
  static @Nullable Backlog of(Options options) {
    return options.deadlines().sheds() ? new Backlog(options.clock()) : null;
  }

  /** Adds a call that waits from now on. */
  synchronized void add() {
    if (waiting++ == 0) {
      last = clock.nanos();
    }
  }

  /** Removes a call that starts now. */
  synchronized void start() {
    long now = clock.nanos();
    long time = now - last;
    mean = mean < 0 ? time : mean + ((time - mean) >> SHIFT);
    last = now;
    waiting--;
  }

  /** Removes a call that will not start. */
  synchronized void drop() {
    waiting--;
  }

  /** Returns the nanoseconds that one more call would wait, limited to {@code most}. */
  synchronized long estimate(long most) {
    if (waiting == 0 || mean <= 0) {
      return 0;
    }
    return mean > most / waiting ? most : mean * waiting;
  }
}
