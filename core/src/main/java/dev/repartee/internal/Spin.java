package dev.repartee.internal;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Polls for a short time before a thread goes to sleep, for low latency: waking a thread needs more
 * time than a quick call.
 *
 * <p>Between two polls the thread yields the CPU. With only one CPU, the awaited event can only
 * happen on it.
 *
 * <p>Polling adapts. If a poll phase finds nothing in time, or other threads used the CPU for
 * longer than the phase, the next wait sleeps without polling; after the next such failure two
 * waits do, then four, up to {@value #MAX_SKIPS}. A success in time resets the count.
 *
 * <p>Of the threads that share an instance only one polls at a time; more would only compete for
 * the CPU. Thread-safe.
 */
public final class Spin {
  /**
   * The longest time to poll: about twice the cost of a wake-up. Sleeping costs little in
   * comparison for a longer wait.
   */
  public static final long NANOS = 50_000;

  /** The maximum number of waits in a row that sleep without polling. */
  public static final int MAX_SKIPS = 16;

  /** A non-blocking check for the awaited event. */
  public interface Look<E extends Exception> {
    boolean found() throws E;
  }

  private final AtomicBoolean looking = new AtomicBoolean();

  // Guarded by looking: only the thread that set it to true reads or writes these.

  /** The number of waits without a poll after the last failed poll phase; 0 after a success. */
  private int skips;

  /** The number of waits that sleep without polling before the next poll phase. */
  private int left;

  /**
   * Polls for the event, unless polling is suspended or another thread polls.
   *
   * @return whether the event was found, so that there is no need to sleep
   */
  public <E extends Exception> boolean finds(Look<E> look) throws E {
    if (!looking.compareAndSet(false, true)) {
      return false;
    }
    try {
      if (left > 0) {
        left--;
        return false;
      }
      return find(look);
    } finally {
      looking.set(false);
    }
  }

  private <E extends Exception> boolean find(Look<E> look) throws E {
    boolean found = look.found();
    boolean inTime = found;
    if (!found) {
      long end = System.nanoTime() + NANOS;
      do {
        Thread.yield();
        found = look.found();
        inTime = System.nanoTime() - end < 0;
      } while (!found && inTime);
    }
    skips = found && inTime ? 0 : Math.min(MAX_SKIPS, Math.max(1, 2 * skips));
    left = skips;
    return found;
  }
}
