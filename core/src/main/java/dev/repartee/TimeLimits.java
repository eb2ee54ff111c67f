package dev.repartee;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one connection. Nothing here looks at the clock while messages pass: the {@link
 * Loop} comes by now and then and sees what has happened since, so a limit is kept to within that.
 */
final class TimeLimits {
  /** A message that arrives has to grow by that part of itself within {@link Limits#firstByteTimeout}. */
  private static final int PROGRESS = 8;

  private final Limits limits;
  private final boolean firstByteLimited;
  private final Outbound outbound;
  private final String remote;
  private volatile boolean heard;

  // Of the loop.
  private boolean everHeard;
  private boolean draining;
  private long heardAt = System.nanoTime();
  private long leftAt;
  private long left;
  private long mark;
  private long markedAt;

  TimeLimits(Limits limits, boolean firstByteLimited, Outbound outbound, String remote) {
    this.limits = limits;
    this.firstByteLimited = firstByteLimited;
    this.outbound = outbound;
    this.remote = remote;
  }

  /** The peer has said something. */
  void heard() {
    if (!heard) {
      heard = true;
    }
  }

  /** Whether some limit runs. */
  boolean isRunning() {
    return firstByteLimited && !everHeard || !limits.idleTimeout().isZero() || drains();
  }

  private boolean drains() {
    return outbound.isFull() || outbound.isShut() && outbound.waiting() > 0;
  }

  /**
   * Why the connection must end now, if it must.
   *
   * @param listening whether the peer could be heard, as nobody who is not can be blamed for silence
   * @param held how much is kept of a message whose rest has to come, so that others get their turn
   */
  @Nullable IOException passed(long now, boolean listening, long held) {
    if (heard || !listening) {
      everHeard |= heard;
      heard = false;
      heardAt = now;
    }
    long silent = now - heardAt;
    if (firstByteLimited && !everHeard && silent > limits.firstByteTimeout().toNanos()) {
      return passed("said nothing within", "firstByteTimeout", limits.firstByteTimeout());
    }
    if (!limits.idleTimeout().isZero() && silent > limits.idleTimeout().toNanos()) {
      return passed("said nothing for", "idleTimeout", limits.idleTimeout());
    }
    if (isStalled(now, listening ? held : 0)) {
      return passed(
          "sent little or nothing of the rest of a message for",
          "firstByteTimeout",
          limits.firstByteTimeout());
    }
    return undrained(now);
  }

  private boolean isStalled(long now, long held) {
    if (held == 0 || held < mark || held - mark > mark / PROGRESS) {
      mark = held;
      markedAt = now;
    }
    return held > 0 && now - markedAt > limits.firstByteTimeout().toNanos();
  }

  private @Nullable IOException undrained(long now) {
    boolean drains = drains();
    if (drains && (!draining || outbound.left() != left)) {
      leftAt = now;
      left = outbound.left();
    }
    draining = drains;
    return drains && now - leftAt > limits.drainTimeout().toNanos()
        ? passed("took nothing of what waits for it for", "drainTimeout", limits.drainTimeout())
        : null;
  }

  private IOException passed(String what, String limit, Duration time) {
    return new IOException(remote + " " + what + " " + time.toMillis() + " ms, the limit " + limit);
  }
}
