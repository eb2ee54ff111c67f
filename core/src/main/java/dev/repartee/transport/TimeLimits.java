package dev.repartee.transport;

import dev.repartee.limits.Limits;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one connection: first byte, idle connection, progress of a partly received
 * message, and draining of the write queue.
 *
 * <p>Messages pass without a look at the clock. Reads only set {@link #heard}, and the write queue
 * counts its bytes. {@link Loop} calls {@link #passed} from time to time, which compares these with
 * the state at the last call. So a limit is exact to within the interval of these calls (about 250
 * ms).
 */
final class TimeLimits {
  /**
   * A partly received message must grow by an eighth of its size within {@link
   * Limits#firstByteTimeout}.
   */
  private static final int PROGRESS = 8;

  private final Limits limits;

  /** Whether the first byte has a time limit. */
  private final boolean firstByteLimited;

  private final QueuedBytes outbound;
  private final String remote;

  /**
   * Whether input has arrived since the last call of {@link #passed}. Written by the reading
   * thread.
   */
  private volatile boolean heard;

  // The rest is used by the loop only.

  /** Whether any input has arrived. */
  private boolean everHeard;

  /** Whether {@link #drains} was true at the last look. */
  private boolean draining;

  /** The time of the last look at which input had arrived, or reading was paused. */
  private long heardAt = System.nanoTime();

  /** The time of the last look at which output had been written, or draining began. */
  private long leftAt;

  /** {@link QueuedBytes#sent} at {@link #leftAt}. */
  private long left;

  /** The bytes of the partly received message at {@link #markedAt}. */
  private long mark;

  /** The time at which the partly received message last made enough progress. */
  private long markedAt;

  TimeLimits(Limits limits, boolean firstByteLimited, QueuedBytes outbound, String remote) {
    this.limits = limits;
    this.firstByteLimited = firstByteLimited;
    this.outbound = outbound;
    this.remote = remote;
  }

  /** Records that input has arrived. */
  void heard() {
    if (!heard) { // a volatile read is cheaper than a write
      heard = true;
    }
  }

  /** Whether a time limit is running, so that {@link #passed} must be called. */
  boolean isRunning() {
    return firstByteLimited && !everHeard || !limits.idleTimeout().isZero() || drains();
  }

  /** Whether the peer is expected to read now: the write queue is full, or closing waits for it. */
  private boolean drains() {
    return outbound.isFull() || outbound.isClosed() && outbound.waiting() > 0;
  }

  /**
   * Returns the reason why the connection must end now, or null if no limit has passed.
   *
   * @param now the time, a {@link System#nanoTime()}
   * @param listening whether this side is reading; while it is not, the clocks for input are reset,
   *     since no input can arrive
   * @param held the size of the partly received message that is counted against the memory budget,
   *     0 if there is none
   */
  @Nullable IOException passed(long now, boolean listening, long held) {
    if (heard || !listening) {
      everHeard |= heard;
      heard = false;
      heardAt = now;
    }
    long silent = now - heardAt;
    if (firstByteLimited && !everHeard && silent > limits.firstByteTimeout().toNanos()) {
      return passed("sent nothing within", "firstByteTimeout", limits.firstByteTimeout());
    }
    if (!limits.idleTimeout().isZero() && silent > limits.idleTimeout().toNanos()) {
      return passed("sent nothing for", "idleTimeout", limits.idleTimeout());
    }
    if (isStalled(now, listening ? held : 0)) {
      return passed(
          "sent little or nothing of the rest of a message for",
          "firstByteTimeout",
          limits.firstByteTimeout());
    }
    return undrained(now);
  }

  /** Whether a partly received message has grown too little for too long. */
  private boolean isStalled(long now, long held) {
    if (held == 0 || held < mark || held - mark > mark / PROGRESS) {
      mark = held;
      markedAt = now;
    }
    return held > 0 && now - markedAt > limits.firstByteTimeout().toNanos();
  }

  /** Returns the reason if the peer has read nothing of the write queue for too long. */
  private @Nullable IOException undrained(long now) {
    boolean drains = drains();
    if (drains && (!draining || outbound.sent() != left)) {
      leftAt = now;
      left = outbound.sent();
    }
    draining = drains;
    return drains && now - leftAt > limits.drainTimeout().toNanos()
        ? passed("read nothing of the queued output for", "drainTimeout", limits.drainTimeout())
        : null;
  }

  private IOException passed(String what, String limit, Duration time) {
    return new IOException(remote + " " + what + " " + time.toMillis() + " ms, the limit " + limit);
  }
}
