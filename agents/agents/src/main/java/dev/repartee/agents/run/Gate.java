package dev.repartee.agents.run;

import dev.repartee.agents.internal.Workers;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of concurrent calls, as a semaphore for actions instead of threads. An action
 * without a permit waits in a queue, and runs on a worker when it gets a permit. Each step has at
 * most one action in the queue; the budgets of the runs therefore limit its length. Thread-safe.
 */
final class Gate {
  /** A gate without a limit. */
  static final Gate OPEN = new Gate(Integer.MAX_VALUE);

  // Guarded by this. The queue is empty while there are free permits.
  private final Set<Waiter> queue = new LinkedHashSet<>(2);
  private int permits;

  Gate(int permits) {
    this.permits = permits;
  }

  /** An action in the queue. Not a record, since the queue compares waiters by identity. */
  private static final class Waiter {
    final Runnable entered;

    Waiter(Runnable entered) {
      this.entered = entered;
    }
  }

  /**
   * Runs an action with a permit, immediately or when a permit becomes free. {@link #leave} must be
   * called when the work that the action starts has ended.
   *
   * @param scope removes the action from the queue
   * @param dropped runs instead of the action if the action was removed
   */
  void enter(CancellationScope scope, Runnable entered, Runnable dropped) {
    Waiter waiter = new Waiter(entered);
    if (takeOrQueue(waiter)) {
      entered.run();
      return;
    }
    scope.onCancel(() -> {
      if (remove(waiter)) {
        dropped.run();
      }
    });
  }

  /** Acquires a permit and returns true, or adds the waiter to the queue. */
  private synchronized boolean takeOrQueue(Waiter waiter) {
    if (permits > 0) {
      permits--;
      return true;
    }
    queue.add(waiter);
    return false;
  }

  private synchronized boolean remove(Waiter waiter) {
    return queue.remove(waiter);
  }

  /** Releases a permit, or passes it on to the first action in the queue. */
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
    Iterator<Waiter> all = queue.iterator();
    if (!all.hasNext()) {
      permits++;
      return null;
    }
    Waiter next = all.next();
    all.remove();
    return next;
  }
}
