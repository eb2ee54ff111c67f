package dev.repartee.agents.run;

import dev.repartee.agents.internal.Workers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the calls that run at the same time. Callers do not block: an entry that has to wait goes
 * on later, on a worker. The steps of the runs bound the number of waiting entries.
 */
final class Gate {
  /** Has room for all calls. */
  static final Gate OPEN = new Gate(Integer.MAX_VALUE);

  private final Deque<Waiter> waiting = new ArrayDeque<>(0); // guarded by this, as is free
  private int free;

  Gate(int places) {
    this.free = places;
  }

  private record Waiter(AtomicBoolean taken, Runnable entered) {}

  /**
   * Runs an action inside, at once or when a place becomes free. The action, or a later one,
   * has to call {@link #leave}.
   *
   * @param stop ends the waiting: then the action never runs
   */
  void enter(Stop stop, Runnable entered) {
    synchronized (this) {
      if (free == 0) {
        Waiter waiter = new Waiter(new AtomicBoolean(), entered);
        waiting.add(waiter);
        stop.whenStopped(() -> waiter.taken().set(true));
        return;
      }
      free--;
    }
    entered.run();
  }

  /** Leaves, and lets the next one enter. */
  void leave() {
    Waiter next = next();
    if (next != null) {
      Workers.ALL.execute(next.entered());
    }
  }

  private synchronized @Nullable Waiter next() {
    for (Waiter next = waiting.poll(); next != null; next = waiting.poll()) {
      if (next.taken().compareAndSet(false, true)) {
        return next;
      }
    }
    free++;
    return null;
  }
}
