package dev.repartee.internal;

import dev.repartee.internal.Clock.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that ends calls and other things at their time limits on {@link Clock#SYSTEM}. It
 * sleeps until the lowest of the bounds of all owners, then calls {@link Owner#expire}, which ends
 * the calls that are due.
 *
 * <p>Race with {@link #watch}: a call may be added while a round runs. {@link #wake} is 0 during a
 * round, and the caller does not unpark the sweeper; the round reads all bounds once more after it
 * has set {@code wake}. A caller that comes after that sees the new {@code wake} and unparks the
 * sweeper if its call is due earlier; if not, the sweeper reads its bound in the next round.
 *
 * <p>The thread starts with the first {@link #watch}. After {@link #retire} it ends when it has
 * nothing to watch, and starts again when it has.
 *
 * <p>Ending a call can run user code on this thread, such as the stages after a future. A wait for
 * an answer throws on this thread, as on one that reads channels, since no time limit would be
 * enforced during the wait.
 */
public final class Sweeper {
  static final String NAME = "repartee-sweeper";

  /** The pause after a failed round, so that a lasting failure does not use up the CPU. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The rest after a round, for each owner that the round has looked at. A round looks at all
   * owners, though only one may be due. Without a rest, thousands of owners would keep this thread
   * busy. With 16,000 connections that have calls with time limits, a time-out is up to 16 ms late.
   */
  private static final long REST = TimeUnit.MICROSECONDS.toNanos(1);

  static final Sweeper INSTANCE = new Sweeper();

  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();

  /** When the sweeper wakes up by itself; 0 while it is awake and has yet to read the bounds. */
  private volatile long wake = Clock.NEVER;

  /** The thread; null before it has started, and after it has ended. Written under the monitor. */
  private volatile @Nullable Thread thread;

  private volatile boolean retired;

  // Used by the sweeper thread only.
  /** When the next round may begin. */
  private long rested;

  /**
   * The owners that have failed in this round. They return to the set after it: in the set, the
   * round would look at them again and again.
   */
  private final List<Owner> failed = new ArrayList<>();

  Sweeper() {}

  private final class Sweeping extends BufferThread {
    Sweeping() {
      super(NAME);
      // Not the class loader of the thread that starts this one: its application may be removed.
      setContextClassLoader(Sweeper.class.getClassLoader());
    }

    @Override
    public void run() {
      sweep();
    }
  }

  /** Returns whether the calling thread is the sweeper. */
  public static boolean isCurrent() {
    return Thread.currentThread() instanceof Sweeping;
  }

  /** See {@link Clock#watch}. */
  void watch(Owner owner, long due) {
    owners.add(owner);
    if (due < wake) {
      Thread running = thread;
      if (running == null) {
        start();
      } else {
        LockSupport.unpark(running);
      }
    }
  }

  private synchronized void start() {
    Thread running = thread;
    if (running == null) {
      running = new Sweeping();
      running.start();
      thread = running;
    } else {
      LockSupport.unpark(running);
    }
  }

  /** See {@link Clock#forget}. */
  void forget(Owner owner) {
    owners.remove(owner);
  }

  /** See {@link Threads#retire}. */
  void retire() {
    retired = true;
    LockSupport.unpark(thread);
  }

  private void sweep() {
    do {
      try {
        round();
      } catch (Throwable e) {
        // Nothing, not even an OutOfMemoryError, may end the thread that all time limits need.
        LockSupport.parkNanos(this, PAUSE);
      }
    } while (!ends());
  }

  /**
   * Returns whether the thread ends. No owner is lost: {@link #watch} adds its owner before it reads
   * {@link #thread}. If it has read this thread, the owner is seen here; else it starts another.
   */
  private synchronized boolean ends() {
    if (!retired || wake != Clock.NEVER) {
      return false;
    }
    thread = null; // before the look at the owners
    if (owners.isEmpty()) {
      return true;
    }
    thread = Thread.currentThread();
    return false;
  }

  private void round() {
    wake = 0; // from now on, watch() need not unpark this thread
    for (long left = rested - now(); left > 0; left = rested - now()) {
      LockSupport.parkNanos(this, left);
    }
    long next = look();
    if (next == Clock.NEVER && !retired) {
      LockSupport.park(this);
    } else if (next != Clock.NEVER) {
      LockSupport.parkNanos(this, next - now());
    }
  }

  /**
   * Sweeps all owners, and returns when the next one is due. The sleep is not in this method: the
   * iterators in a frame of the stack would keep their last owner in memory.
   */
  private long look() {
    long next = Clock.NEVER;
    for (Owner owner : owners) {
      next = Math.min(next, look(owner));
    }
    long pause = failed.isEmpty() ? 0 : PAUSE;
    owners.addAll(failed);
    failed.clear();
    wake = next;
    // An owner that was added between the loop and this line was not swept, but it is in the set.
    long looks = 0;
    for (Owner owner : owners) {
      next = Math.min(next, owner.due());
      looks++;
    }
    rested = now() + Math.max(looks * REST, pause);
    return next;
  }

  private static long now() {
    return Clock.SYSTEM.nanos();
  }

  private long look(Owner owner) {
    long now = now();
    long due = owner.due();
    if (due > now && due != Clock.NEVER) {
      return due;
    }
    owners.remove(owner); // before the sweep, so that a watch() during the sweep is not undone
    try {
      due = owner.expire(now);
      if (due != Clock.NEVER) {
        owners.add(owner);
      }
    } catch (Throwable e) { // the owners after this one must not wait for it
      failed.add(owner);
      due = now;
    } finally {
      Thread.interrupted(); // set by a callback, it would keep this thread from sleeping
    }
    return due;
  }
}
