package dev.repartee.agents.run;

import dev.repartee.agents.internal.Workers;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the calls that run at the same time. Callers do not block: an entry that has to wait goes
 * on later, on a worker. The steps of the runs bound the number of waiting entries.
 */
final class Gate {
  /** Has room for all calls. */
  static final Gate OPEN = new Gate(Integer.MAX_VALUE);

  private final Set<Waiter> waiting = new LinkedHashSet<>(2); // guarded by this, as is free
  private int free;

  Gate(int places) {
    this.free = places;
  }

  private static final class Waiter {
    final Runnable entered;

    Waiter(Runnable entered) {
      this.entered = entered;
    }
  }

  /**
   * Runs an action inside, at once or when a place becomes free. The action, or a later one,
   * has to call {@link #leave}.
   *
   * @param stop ends the waiting
   * @param dropped runs in place of the action if the waiting has ended
   */
  void enter(Stop stop, Runnable entered, Runnable dropped) {
    Waiter waiter = new Waiter(entered);
    if (isInside(waiter)) {
      entered.run();
      return;
    }
    stop.whenStopped(() -> {
      if (forget(waiter)) {
        dropped.run();
      }
    });
  }

  private synchronized boolean isInside(Waiter waiter) {
    if (free > 0) {
      free--;
      return true;
    }
    waiting.add(waiter);
    return false;
  }

  private synchronized boolean forget(Waiter waiter) {
    return waiting.remove(waiter);
  }

  /** Leaves, and lets the next one enter. */
  void leave() {
    Waiter next = next();
    if (next != null) {
      try {
        Workers.ALL.execute(next.entered);
      } catch (OutOfMemoryError e) { // no thread can be started
        next.entered.run();
      }
    }
  }

  private synchronized @Nullable Waiter next() {
    Iterator<Waiter> all = waiting.iterator();
    if (!all.hasNext()) {
      free++;
      return null;
    }
    Waiter next = all.next();
    all.remove();
    return next;
  }
}
