package dev.repartee;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call is still wanted. Thread-safe; once cancelled it stays so.
 *
 * <p>Nothing interrupts a handler: one that takes long asks {@link #isCancelled()} or waits with
 * {@link #sleep}.
 */
public final class Cancellation {
  private @Nullable List<Runnable> actions = new ArrayList<>(2); // null once cancelled

  Cancellation() {}

  /** Whether the call was cancelled, its time passed, or its connection ended. */
  public synchronized boolean isCancelled() {
    return actions == null;
  }

  /**
   * Stops a handler whose call is not wanted any more.
   *
   * @throws CancellationException if so
   */
  public void throwIfCancelled() {
    if (isCancelled()) {
      throw new CancellationException("the call was cancelled");
    }
  }

  /**
   * Runs that when the call is cancelled, on the thread that cancels it, or here and now if it is
   * already. It must not block; what it throws there is ignored.
   */
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (actions != null) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }

  /**
   * Waits that long, or until the call is cancelled.
   *
   * @throws CancellationException if it was
   */
  public void sleep(Duration time) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    synchronized (this) {
      for (long left = time.toNanos();
          left > 0 && actions != null;
          left = end - System.nanoTime()) {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      }
    }
    throwIfCancelled();
  }

  void cancel() {
    List<Runnable> due;
    synchronized (this) {
      if (actions == null) {
        return;
      }
      due = actions;
      actions = null;
      notifyAll();
    }
    due.forEach(Foreign::run); // one that fails must not keep the others from hearing of it
  }
}
