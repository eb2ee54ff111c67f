package dev.repartee;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looking again and again for a moment before going to sleep, for low latency: waking up takes longer
 * than a quick call does.
 *
 * <p>Between two looks whoever else wants the CPU gets it: where there is only one, what is waited for
 * depends on that. And it stops where it does not pay: after a moment in which nothing came, or in which
 * others took the CPU for longer, the next wait does without; after another one the next two do, and so
 * on up to {@value #MAX_SKIPS}, until something comes in time again. Of the threads that wait by the same
 * one only one looks, or they would take the CPU from each other. Thread-safe.
 */
final class Spin {
  /** About what waking up costs twice: what takes longer may as well be waited for asleep. */
  static final long NANOS = 50_000;

  static final int MAX_SKIPS = 16;

  /** Somebody who looks whether what it waits for is there. */
  interface Look<E extends Exception> {
    boolean found() throws E;
  }

  private final AtomicBoolean looking = new AtomicBoolean();

  // Of whoever is looking.
  private int skips;
  private int left;

  /** Whether it was found without sleeping; at once no where another thread is looking. */
  <E extends Exception> boolean finds(Look<E> look) throws E {
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
