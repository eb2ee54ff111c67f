package dev.repartee.resilience;

import dev.repartee.Call;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The state of a circuit breaker. Thread-safe. */
final class Circuit {
  /*
   *              too many failures
   *   CLOSED ---------------------> OPEN <----+
   *     ^                            |        | a trial call failed
   *     |                            | time   |
   *     +--------- TRIAL <-----------+        |
   *      all trial   |                        |
   *      calls       +------------------------+
   *      succeeded
   *
   * Each change of the state starts a new era. The end of a call that began in an earlier era does
   * not count: it says nothing about the server now.
   */

  private enum State {
    CLOSED,
    OPEN,
    TRIAL
  }

  /** The number of parts of the window; each one is forgotten as a whole. */
  private static final int SLOTS = 10;

  private static final double ALL = 100;

  /** The answer of {@link #acquire} to a call that is rejected. */
  static final long REJECTED = -1;

  private final Breaker breaker;
  private final long slotNanos;

  // Guarded by this.
  private State state = State.CLOSED;
  private long era;

  /** The time at which the present state began. */
  private long since;

  private final int[] ended = new int[SLOTS];
  private final int[] failed = new int[SLOTS];

  /** The number of the newest slot since the origin of the clock. */
  private long slot;

  /** The trial calls that have started, and those that have succeeded. */
  private int trials;

  private int succeeded;

  Circuit(Breaker breaker) {
    this.breaker = breaker;
    this.slotNanos = Math.max(1, breaker.window.toNanos() / SLOTS);
  }

  /** Returns the era of a call that starts now, or {@link #REJECTED}. */
  synchronized long acquire(long now) {
    boolean isOver = now - since >= breaker.openFor.toNanos();
    // Trial calls that do not end must not keep the breaker from closing.
    if (isOver && (state == State.OPEN || state == State.TRIAL && trials >= breaker.trialCalls)) {
      enter(State.TRIAL, now);
    }
    if (state == State.CLOSED) {
      return era;
    } else if (state == State.TRIAL && trials < breaker.trialCalls) {
      trials++;
      return era;
    }
    return REJECTED;
  }

  /** Returns the nanoseconds until the next trial calls; for people. */
  synchronized long rest(long now) {
    return Math.max(0, since + breaker.openFor.toNanos() - now);
  }

  /**
   * Records the end of a call.
   *
   * @param since the era of its start
   * @param call the call
   * @param failure the failure of the call; null for a result
   * @return whether this has opened the breaker
   */
  boolean ended(long since, Call call, @Nullable Throwable failure, long now) {
    boolean counts = breaker.counts(call, failure); // runs user code
    boolean fails = counts && breaker.isFailure(failure);
    synchronized (this) {
      if (since != era) {
        return false;
      } else if (!counts) {
        trials -= state == State.TRIAL ? 1 : 0;
        return false;
      }
      boolean opens = state == State.TRIAL ? fails : isTooMany(fails, now);
      if (opens) {
        enter(State.OPEN, now);
      } else if (state == State.TRIAL && ++succeeded == breaker.trialCalls) {
        enter(State.CLOSED, now);
      }
      return opens;
    }
  }

  private boolean isTooMany(boolean fails, long now) {
    long newest = now / slotNanos;
    for (long old = Math.max(slot + 1, newest - SLOTS + 1); old <= newest; old++) {
      ended[(int) (old % SLOTS)] = 0;
      failed[(int) (old % SLOTS)] = 0;
    }
    slot = Math.max(slot, newest);
    ended[(int) (slot % SLOTS)]++;
    failed[(int) (slot % SLOTS)] += fails ? 1 : 0;
    long calls = 0;
    long failures = 0;
    for (int i = 0; i < SLOTS; i++) {
      calls += ended[i];
      failures += failed[i];
    }
    return fails && calls >= breaker.minimumCalls && failures * ALL >= breaker.percent * calls;
  }

  private void enter(State next, long now) {
    state = next;
    era++;
    since = now;
    trials = 0;
    succeeded = 0;
    Arrays.fill(ended, 0);
    Arrays.fill(failed, 0);
  }
}
