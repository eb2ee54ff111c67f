package dev.repartee;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call is still wanted. Thread-safe; once cancelled it stays so.
 *
 * <p>Nothing interrupts a handler: one that takes long asks {@link #isCancelled()} or waits with
 * {@link #sleep}.
 */
public final class Cancellation {
  private @Nullable List<Runnable> actions = new ArrayList<>(2); // null once cancelled
  private @Nullable CountDownLatch signal;

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
   * Waits that long, or until the call is cancelled. A time of more than 146 years counts as for ever.
   *
   * @throws CancellationException if it was
   */
  public void sleep(Duration time) throws InterruptedException {
    signal().await(Limits.nanos(time), TimeUnit.NANOSECONDS);
    throwIfCancelled();
  }

  /** What sleepers wait for: not for this object's monitor, which pins a virtual thread before 24. */
  private synchronized CountDownLatch signal() {
    if (signal == null) {
      signal = new CountDownLatch(isCancelled() ? 0 : 1);
    }
    return signal;
  }

  void cancel() {
    List<Runnable> due;
    synchronized (this) {
      if (actions == null) {
        return;
      }
      due = actions;
      actions = null;
      if (signal != null) {
        signal.countDown();
      }
    }
    due.forEach(Foreign::run); // one that fails must not keep the others from hearing of it
  }
}
