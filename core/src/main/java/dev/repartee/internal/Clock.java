package dev.repartee.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A clock with timers. {@link #SYSTEM} is the clock of all code that runs outside of tests. A test
 * passes its own clock to the object under test, and advances it. Thread-safe.
 *
 * <p>Calls have no timers, because most calls end long before their time limit. Instead each {@link
 * Owner} of calls keeps a lower bound of its earliest deadline, and the clock watches these bounds.
 */
public abstract class Clock {
  /*
   * A class, not an interface: while only one subclass is loaded, as outside of tests, the JIT
   * compiler inlines nanos() to System.nanoTime().
   */

  /** The value of a due time that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The clock of the system. One thread of the process watches its owners. */
  public static final Clock SYSTEM = new SystemClock();

  /** The pause before a step is started again for which no thread could be started. */
  private static final long AGAIN = TimeUnit.SECONDS.toNanos(1);

  /** Time limits from here on (100 years) count as no limit. */
  private static final Duration FOREVER = Duration.ofDays(36_500);

  /** An object that holds things with time limits. Thread-safe. */
  public interface Owner {
    /**
     * Returns a time, on the clock of {@link #nanos}, before which nothing is due, or {@link
     * #NEVER}.
     */
    long due();

    /**
     * Ends everything that is due at {@code now} and returns the new {@link #due()}. If that is
     * {@link #NEVER}, the clock forgets the owner until the next {@link #watch}.
     */
    long expire(long now);
  }

  /** A step that runs after a time. */
  public interface Timer {
    /**
     * Cancels the step, unless it has started; also in the queue of its executor. The clock does not
     * keep a cancelled step in memory.
     */
    void cancel();
  }

  /**
   * Returns the nanoseconds since an arbitrary time in this process. Never negative: times can be
   * compared with {@code <}.
   */
  public abstract long nanos();

  /**
   * Schedules a check of an owner at {@code due}, or earlier. Another call can only make the next
   * check earlier.
   */
  public abstract void watch(Owner owner, long due);

  /**
   * Forgets an owner that has nothing left to end, so that the clock does not keep it in memory.
   */
  public abstract void forget(Owner owner);

  /**
   * Returns the time {@code time} from now, or {@link #NEVER} if {@code time} is zero or at least a
   * century.
   */
  public final long after(Duration time) {
    if (time.isZero() || time.compareTo(FOREVER) >= 0) {
      return NEVER;
    }
    return nanos() + time.toNanos();
  }

  /**
   * Runs a step on an executor after a time, unless the returned timer is cancelled before. A step
   * that the executor rejects does not run. If the executor fails with an error, such as for lack of
   * threads, it gets the step again after a second: some steps would otherwise never be repeated.
   *
   * @param time limited to 146 years
   */
  public final Timer schedule(Duration time, Executor executor, Runnable step) {
    Step timer = new Step(nanos() + Times.nanos(time), executor, step);
    watch(timer, timer.due);
    return timer;
  }

  /**
   * Waits until a monitor is notified, at the latest at {@code time}. Like {@link Object#wait}, it
   * may return early, and the caller holds the monitor. No thread may hold it for long, since the
   * thread of the clock acquires it.
   */
  public final void await(Object monitor, long time) throws InterruptedException {
    Timer timer = schedule(Duration.ofNanos(time - nanos()), Runnable::run, () -> {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    });
    try {
      monitor.wait();
    } finally {
      timer.cancel();
    }
  }

  /** Runs a step that is due. */
  void start(Executor executor, Runnable step) {
    executor.execute(step);
  }

  private final class Step implements Owner, Timer, Runnable {
    private final Executor executor;
    private final Runnable step;
    private volatile long due;
    private volatile boolean started;
    private volatile boolean cancelled;

    Step(long due, Executor executor, Runnable step) {
      this.due = due;
      this.executor = executor;
      this.step = step;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public long expire(long now) {
      if (cancelled) {
        return NEVER;
      }
      try {
        start(executor, this);
      } catch (Throwable e) {
        if (e instanceof Error && !started) {
          due = now + AGAIN;
          return due;
        }
        // Rejected, or a failure of the step itself, which runs once.
      }
      return NEVER;
    }

    @Override
    public void run() {
      started = true;
      if (!cancelled) {
        step.run();
      }
    }

    @Override
    public void cancel() {
      cancelled = true; // first: the clock may be about to keep this for another attempt
      forget(this);
    }
  }

  private static final class SystemClock extends Clock {
    /** The origin of {@link #nanos}; that of {@link System#nanoTime()} may be in the future. */
    private static final long EPOCH = System.nanoTime();

    @Override
    public long nanos() {
      return System.nanoTime() - EPOCH;
    }

    @Override
    public void watch(Owner owner, long due) {
      Sweeper.INSTANCE.watch(owner, due);
    }

    @Override
    public void forget(Owner owner) {
      Sweeper.INSTANCE.forget(owner);
    }
  }
}
