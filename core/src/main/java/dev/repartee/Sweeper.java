package dev.repartee;

import dev.repartee.internal.BufferThread;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that ends calls and other things at their time limits. There is one in a process.
 *
 * <p>Calls have no timers, because most calls end long before their time limit. Instead each {@link
 * Owner} of calls keeps a lower bound of its earliest deadline. The sweeper sleeps until the lowest
 * of these bounds, then calls {@link Owner#expire}, which ends the calls that are due.
 *
 * <p>Race with {@link #watch}: a call may be added while a round runs. {@link #wake} is 0 during a
 * round, and the caller does not unpark the sweeper; the round reads all bounds once more after it
 * has set {@code wake}. A caller that comes after that sees the new {@code wake} and unparks the
 * sweeper if its call is due earlier; if not, the sweeper reads its bound in the next round.
 *
 * <p>Ending a call can run user code on this thread, such as the stages after a future. The thread
 * is a {@link ReadingThread}: a wait for an answer throws, since no time limit would be enforced
 * during the wait.
 */
final class Sweeper extends BufferThread implements ReadingThread {
  /** The value of a due time that never comes. */
  static final long NEVER = Long.MAX_VALUE;

  /** An object that holds things with time limits. Thread-safe. */
  interface Owner {
    /**
     * Returns a time, on the clock of {@link #now}, before which nothing is due, or {@link #NEVER}.
     */
    long due();

    /**
     * Ends everything that is due at {@code now} and returns the new {@link #due()}. If that is
     * {@link #NEVER}, the sweeper forgets the owner until the next {@link #watch}.
     */
    long expire(long now);
  }

  /** Time limits from here on (100 years) count as no limit. */
  private static final Duration FOREVER = Duration.ofDays(36_500);

  /** The pause after a failed round, so that a lasting failure does not use up the CPU. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The rest after a round, for each owner that the round has looked at. A round looks at all
   * owners, though only one may be due. Without a rest, thousands of owners would keep this thread
   * busy. With 16,000 connections that have calls with time limits, a time-out is up to 16 ms late.
   */
  private static final long REST = TimeUnit.MICROSECONDS.toNanos(1);

  /**
   * The origin of {@link #now}, so that times compare with {@code <} in spite of the arbitrary,
   * possibly negative, origin of {@link System#nanoTime()}.
   */
  private static final long EPOCH = System.nanoTime();

  private static final Sweeper INSTANCE = start("repartee-sweeper");

  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();

  /** When the sweeper wakes up by itself; 0 while it is awake and has yet to read the bounds. */
  private volatile long wake = NEVER;

  /** When the next round may begin. Used by the sweeper thread only. */
  private long rested;

  private Sweeper(String name) {
    super(name);
  }

  private static Sweeper start(String name) {
    Sweeper sweeper = new Sweeper(name);
    sweeper.start();
    return sweeper;
  }

  /** Returns the nanoseconds since this class was initialized. */
  static long now() {
    return System.nanoTime() - EPOCH;
  }

  /**
   * Returns the time {@code time} from now, or {@link #NEVER} if {@code time} is zero or at least a
   * century.
   */
  static long after(Duration time) {
    if (time.isZero() || time.compareTo(FOREVER) >= 0) {
      return NEVER;
    }
    return now() + time.toNanos();
  }

  /**
   * Schedules a check of an owner at {@code due}, or earlier. Another call can only make the next
   * check earlier.
   */
  static void watch(Owner owner, long due) {
    INSTANCE.owners.add(owner);
    if (due < INSTANCE.wake) {
      LockSupport.unpark(INSTANCE);
    }
  }

  /**
   * Forgets an owner that has nothing left to end, so that the sweeper does not keep it in memory.
   */
  static void forget(Owner owner) {
    INSTANCE.owners.remove(owner);
  }

  @Override
  public void run() {
    while (true) {
      try {
        round();
      } catch (Throwable e) {
        // Nothing, not even an OutOfMemoryError, may end the thread that all time limits need.
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }

  private void round() {
    wake = 0; // from now on, watch() need not unpark this thread
    for (long left = rested - now(); left > 0; left = rested - now()) {
      LockSupport.parkNanos(this, left);
    }
    long next = NEVER;
    for (Owner owner : owners) {
      next = Math.min(next, look(owner));
    }
    wake = next;
    // An owner that was added between the loop and this line was not swept, but it is in the set.
    long looks = 0;
    for (Owner owner : owners) {
      next = Math.min(next, owner.due());
      looks++;
    }
    rested = now() + looks * REST;
    if (next == NEVER) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, next - now());
    }
  }

  private long look(Owner owner) {
    long now = now();
    long due = owner.due();
    if (due > now && due != NEVER) {
      return due;
    }
    owners.remove(owner); // before the sweep, so that a watch() during the sweep is not undone
    // If the sweep throws, the owner stays in the set.
    due = now;
    try {
      due = owner.expire(now);
    } finally {
      Thread.interrupted(); // set by a callback, it would keep this thread from sleeping
      if (due != NEVER) {
        owners.add(owner);
      }
    }
    return due;
  }
}
