package dev.repartee;

import dev.repartee.internal.Times;
import dev.repartee.internal.UserCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cancellation token of a call. Thread-safe. A cancelled token stays cancelled.
 *
 * <p>A handler's thread is never interrupted. A long-running handler checks {@link #isCancelled()}
 * or waits with {@link #sleep}.
 */
public final class Cancellation {
  private @Nullable List<Runnable> actions = new ArrayList<>(2); // null once cancelled
  private @Nullable CountDownLatch signal;

  Cancellation() {}

  /**
   * Returns whether the call was cancelled, its deadline has passed, or its connection has ended.
   */
  public synchronized boolean isCancelled() {
    return actions == null;
  }

  /**
   * Throws an exception if the call was cancelled.
   *
   * @throws CancellationException if {@link #isCancelled()} is true
   */
  public void throwIfCancelled() {
    if (isCancelled()) {
      throw new CancellationException("the call was cancelled");
    }
  }

  /**
   * Runs an action when the call is cancelled, on the thread that cancels it; exceptions of the
   * action are then ignored. If the call is cancelled already, runs the action immediately on the
   * calling thread. The action must not block.
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
   * Waits until the time has passed or the call is cancelled. A time of more than 146 years counts
   * as for ever.
   *
   * @throws CancellationException if the call is cancelled
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public void sleep(Duration time) throws InterruptedException {
    signal().await(Times.nanos(time), TimeUnit.NANOSECONDS);
    throwIfCancelled();
  }

  /**
   * Returns the latch that {@link #sleep} waits for. Waiting for this object's monitor would pin a
   * virtual thread to its carrier before Java 24.
   */
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
    due.forEach(UserCode::run); // an action that fails must not keep the others from running
  }
}
