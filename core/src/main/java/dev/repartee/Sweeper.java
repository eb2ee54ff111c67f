package dev.repartee;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that sees to everything that has a time limit.
 *
 * <p>Most calls end long before their time, so a call costs no timer of its own. Whoever holds calls
 * keeps a lower bound of when the first of them is due; the sweeper sleeps until the lowest of these
 * bounds and then has that owner look. Whatever ends may be waited for by anybody, so like a reader
 * this thread must never wait for an answer.
 */
final class Sweeper extends ReaderThread {
  /** In the place of a time: never. */
  static final long NEVER = Long.MAX_VALUE;

  /** Holds things that have a time limit. */
  interface Owner {
    /** A time before which nothing is due, or {@link #NEVER}. */
    long due();

    /**
     * Ends what is due at {@code now}, and answers the new {@link #due()}. Where that is {@link
     * #NEVER} the owner is forgotten until it asks to be {@link #watch}ed again.
     */
    long sweep(long now);
  }

  private static final Duration FOREVER = Duration.ofDays(36_500);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The time to rest after a round for each owner that it looked at. A round looks at all owners, though
   * only one may be due, so without a rest thousands of them would keep this thread busy. It makes a
   * time-out late by 16 ms where 16,000 connections have calls with time-outs.
   */
  private static final long REST = TimeUnit.MICROSECONDS.toNanos(1);

  private static final long EPOCH = System.nanoTime();
  private static final Sweeper INSTANCE = start("repartee-sweeper");

  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();
  private volatile long wake = NEVER;

  /** When the next round may begin; of this thread. */
  private long rested;

  private Sweeper(String name) {
    super(name);
  }

  private static Sweeper start(String name) {
    Sweeper sweeper = new Sweeper(name);
    sweeper.start();
    return sweeper;
  }

  /** Nanoseconds since some moment of this process. */
  static long now() {
    return System.nanoTime() - EPOCH;
  }

  /** The time that lies so far ahead; never, if that is zero or a century. */
  static long after(Duration time) {
    if (time.isZero() || time.compareTo(FOREVER) >= 0) {
      return NEVER;
    }
    return now() + time.toNanos();
  }

  /** Has the owner swept when {@code due} has come; calling again only ever brings it forward. */
  static void watch(Owner owner, long due) {
    INSTANCE.owners.add(owner);
    if (due < INSTANCE.wake) {
      LockSupport.unpark(INSTANCE);
    }
  }

  /** Holds on to an owner no longer that has nothing left to end. */
  static void forget(Owner owner) {
    INSTANCE.owners.remove(owner);
  }

  @Override
  public void run() {
    while (true) {
      try {
        round();
      } catch (Throwable e) {
        // Not even a lack of memory may end the thread that all time limits need.
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }

  private void round() {
    wake = 0; // whoever comes now need not wake this thread: it is about to look
    for (long left = rested - now(); left > 0; left = rested - now()) {
      LockSupport.parkNanos(this, left);
    }
    long next = NEVER;
    for (Owner owner : owners) {
      next = Math.min(next, look(owner));
    }
    wake = next;
    // An owner that came between the loop and this line was not seen; it is in the set now.
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
    owners.remove(owner); // before the sweep, so that a watch during it is not undone
    due = now;
    try {
      due = owner.sweep(now);
    } finally {
      Thread.interrupted(); // left behind by a callback, it would keep this thread from sleeping
      if (due != NEVER) {
        owners.add(owner);
      }
    }
    return due;
  }
}
