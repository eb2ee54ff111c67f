package dev.repartee.internal;

import java.time.Duration;
import java.util.concurrent.Executor;

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
    /** Cancels the step, unless it has started. A cancelled step occupies no memory. */
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
   * that the executor rejects does not run.
   *
   * @param time limited to 146 years
   */
  public final Timer schedule(Duration time, Executor executor, Runnable step) {
    Step timer = new Step(nanos() + Times.nanos(time), () -> start(executor, step));
    watch(timer, timer.due);
    return timer;
  }

  /** Runs a step that is due. */
  void start(Executor executor, Runnable step) {
    executor.execute(step);
  }

  private final class Step implements Owner, Timer {
    private final long due;
    private final Runnable start;

    Step(long due, Runnable start) {
      this.due = due;
      this.start = start;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public long expire(long now) {
      UserCode.run(start); // a failure would make the clock call this method again
      return NEVER;
    }

    @Override
    public void cancel() {
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
