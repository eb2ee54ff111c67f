package dev.repartee.limits;

import dev.repartee.internal.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one connection, for authors of channels: progress of a message that arrives,
 * silence of the peer, answers to pings, and progress of the write queue.
 *
 * <p>Messages pass without a look at the clock. The channel only counts bytes, and calls {@link
 * #passed} from time to time, which compares the counts with those of earlier calls. A limit is
 * exact to within the interval of these calls. Not thread-safe: one thread makes all calls, which
 * are also the only callers of {@link Connection}.
 */
public final class TimeLimits {
  /** The bytes of a message that have to arrive within each {@link Limits#firstByteTimeout}. */
  private static final int PROGRESS = 16 << 10;

  /**
   * If more bytes of the message are charged to the memory budget, this fraction of them has to
   * arrive instead: a large message must not occupy the budget for long.
   */
  private static final int SHARE = 8;

  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);
  private static final Duration SHORTEST_PERIOD = Duration.ofMillis(5);

  /** The connection that the limits hold for. By default its input has no time limit. */
  public interface Connection {
    /**
     * Returns whether the peer has to send: its first message, or the rest of one. False while this
     * side does not read, since the peer is not to blame then.
     */
    default boolean isMessageDue() {
      return false;
    }

    /** Returns the bytes of the arriving message that are charged to the memory budget. */
    default int held() {
      return 0;
    }

    /** Returns the number of bytes that have arrived so far. */
    default long received() {
      return 0;
    }

    /**
     * Returns the number of bytes that have arrived as part of messages. Unlike the bytes of {@link
     * #received}, they do not include pings and their answers.
     */
    default long receivedOfMessages() {
      return received();
    }

    /** Returns whether this side reads, so that the answer to a ping would arrive. */
    default boolean isReading() {
      return true;
    }

    /** Sends a ping. Returns false if the transport has none. */
    default boolean ping() {
      return false;
    }

    /**
     * Returns whether the silence of the peer counts: this side reads, and has nothing left to
     * send.
     */
    default boolean isIdle() {
      return false;
    }

    /**
     * Returns the output that the peer has to read now, as a value that equals the last one until
     * the peer has read some; null if there is none.
     */
    @Nullable Object unread();
  }

  /** A time limit that has passed. */
  public enum Limit {
    /** {@link Limits#firstByteTimeout}. */
    FIRST_BYTE(
        "firstByteTimeout",
        "sent nothing or too little of a message within",
        Limits::firstByteTimeout),

    /** {@link Limits#idleTimeout}. */
    IDLE("idleTimeout", "sent nothing for", Limits::idleTimeout),

    /** {@link Limits#pingInterval}. */
    PING(
        "pingInterval",
        "sent nothing, not even the answer to a ping, for twice",
        Limits::pingInterval),

    /** {@link Limits#drainTimeout}. */
    DRAIN("drainTimeout", "read nothing of the queued output for", Limits::drainTimeout);

    private final String member;
    private final String omission;
    private final Function<Limits, Duration> time;

    Limit(String member, String omission, Function<Limits, Duration> time) {
      this.member = member;
      this.omission = omission;
      this.time = time;
    }

    private boolean isPassed(long nanos, Limits limits) {
      return nanos > time.apply(limits).toNanos();
    }

    /**
     * Returns the reason for the end of the connection, in words for people.
     *
     * @param remote the name of the peer
     */
    public IOException reason(String remote, Limits limits) {
      return new IOException(remote + " " + omission + " " + time.apply(limits).toMillis()
          + " ms, the limit " + member);
    }
  }

  private final Limits limits;
  private final Connection connection;
  private final Clock clock;

  /** The number of received bytes when the current period of {@code firstByteTimeout} began. */
  private long messageMark;

  private long messageSince;

  /** Whether a message was due at the last call of {@link #passed}. */
  private boolean due;

  /** Whether a message was completed since the last call of {@link #passed}. */
  private boolean completed;

  /** The number of received bytes when the silence began. */
  private long idleMark;

  private long idleSince;

  /** The number of received bytes when the last sign of life of the peer was noticed. */
  private long aliveMark;

  private long aliveSince;
  private long pingedAt;

  /** The time of the last call of {@link #passed}. */
  private long checkedAt;

  /** The unread output at the last call, unchanged since {@link #unreadSince}. */
  private @Nullable Object unread;

  private long unreadSince;

  /** Creates the limits of a connection; their time starts now. */
  public TimeLimits(Limits limits, Connection connection) {
    this.limits = limits;
    this.connection = connection;
    this.clock = limits.clock();
    messageSince = clock.nanos();
    idleSince = messageSince;
    aliveSince = messageSince;
    pingedAt = messageSince;
    checkedAt = messageSince;
  }

  /**
   * Returns the clock of the time limits, for the transports of this project: its type is not
   * exported to other modules. Only tests set another clock than that of the system.
   */
  @SuppressWarnings("exports")
  public static Clock clock(Limits limits) {
    return limits.clock();
  }

  /** Returns the time between two calls of {@link #passed} that suits these limits. */
  public static Duration period(Limits limits) {
    Duration shortest = Stream.of(
            limits.firstByteTimeout(),
            limits.drainTimeout(),
            limits.idleTimeout(),
            limits.pingInterval())
        .filter(limit -> !limit.isZero())
        .map(limit -> limit.dividedBy(4))
        .reduce(LONGEST_PERIOD, TimeLimits::shorter);
    return shortest.compareTo(SHORTEST_PERIOD) < 0 ? SHORTEST_PERIOD : shortest;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Returns whether a time limit is running, so that {@link #passed} must be called. */
  public boolean isRunning() {
    return !limits.idleTimeout().isZero()
        || connection.isMessageDue()
        || connection.unread() != null;
  }

  /** Records that a message has arrived completely; the next one gets the whole time. */
  public void completed() {
    completed = true;
  }

  /**
   * Returns the limit that has passed, or null if the connection may continue.
   */
  public @Nullable Limit passed() {
    long now = clock.nanos();
    boolean message = isMessagePassed(now);
    boolean idle = isIdlePassed(now);
    boolean drain = isDrainPassed(now);
    boolean ping = isPingPassed(now);
    return message
        ? Limit.FIRST_BYTE
        : idle ? Limit.IDLE : drain ? Limit.DRAIN : ping ? Limit.PING : null;
  }

  /**
   * Sends a ping in each interval, whatever arrives: a peer with much unread input hears from this
   * side all the same. A silence does not count if this side itself was suspended meanwhile.
   */
  private boolean isPingPassed(long now) {
    if (limits.pingInterval().isZero()) {
      return false;
    }
    boolean suspended = Limit.PING.isPassed(now - checkedAt, limits);
    checkedAt = now;
    if (connection.received() != aliveMark || !connection.isReading() || suspended) {
      aliveMark = connection.received();
      aliveSince = now;
    }
    if (Limit.PING.isPassed(now - pingedAt, limits)) {
      pingedAt = now;
      if (!connection.ping()) {
        aliveSince = now; // without pings, silence is not a sign of death
      }
    }
    return Limit.PING.isPassed((now - aliveSince) / 2, limits);
  }

  private boolean isMessagePassed(long now) {
    // The time starts when a message is first found to be due, and not with the last call: this
    // method is not called while no limit runs, and the last call may be long ago.
    boolean before = due;
    due = connection.isMessageDue() && !completed;
    completed = false;
    if (before && due && !Limit.FIRST_BYTE.isPassed(now - messageSince, limits)) {
      return false;
    }
    long arrived = connection.received() - messageMark;
    boolean passed = before && due && arrived < Math.max(PROGRESS, connection.held() / SHARE);
    messageMark += arrived;
    messageSince = now;
    return passed;
  }

  private boolean isIdlePassed(long now) {
    if (connection.receivedOfMessages() != idleMark || !connection.isIdle()) {
      idleMark = connection.receivedOfMessages();
      idleSince = now;
    }
    return !limits.idleTimeout().isZero() && Limit.IDLE.isPassed(now - idleSince, limits);
  }

  private boolean isDrainPassed(long now) {
    Object next = connection.unread();
    if (next == null || !next.equals(unread)) {
      unread = next;
      unreadSince = now;
    }
    return next != null && Limit.DRAIN.isPassed(now - unreadSince, limits);
  }
}
