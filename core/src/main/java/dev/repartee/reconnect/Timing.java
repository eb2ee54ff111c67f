package dev.repartee.reconnect;

import dev.repartee.internal.Delay;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The clock, the timer and the random numbers of a reconnector. Tests have their own. Thread-safe.
 */
interface Timing {
  /**
   * The clock of the system; tasks run on a thread that may block. There is no thread for each
   * timer.
   */
  Timing SYSTEM = new Timing() {
    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public double random() {
      return ThreadLocalRandom.current().nextDouble();
    }

    @Override
    public Runnable after(Duration delay, Runnable task) {
      Future<?> due = Delay.of(delay, Threads.CALLS, task);
      return () -> due.cancel(false);
    }
  };

  /** Returns a time on a clock without a known origin. */
  long nanos();

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  double random();

  /**
   * Runs a task later, on a thread that may block.
   *
   * @return the action that cancels the task
   */
  Runnable after(Duration delay, Runnable task);
}
