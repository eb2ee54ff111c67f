package dev.repartee;

import java.time.Duration;

/**
 * The bounds of one endpoint, with their defaults in brackets; each can be changed with the {@code
 * with} method of its name.
 *
 * <p>All but {@code connections} hold for one connection. What the connections of the process hold
 * together of large messages has a bound of its own, {@link HeldBytes}.
 *
 * @param depth containers inside each other (500); deeper text is -32700
 * @param frameBytes bytes of one message (16 MiB); that many or more is -32003, and the connection goes
 *     on where the framing can skip it
 * @param headerBytes bytes of one header block (8 KiB); more ends the connection
 * @param batch elements of one batch (1,000); more is one -32600
 * @param runningCalls calls that run at once on one connection (1,024); one more is answered -32000
 * @param queuedMessages messages of one connection that wait for earlier ones to finish (10,000)
 * @param queuedBytes bytes of those messages (16 MiB)
 * @param pendingCalls calls of our own that wait for an answer on one connection (100,000); one more
 *     throws {@link LimitException}
 * @param outboundBytes bytes that wait to leave on one connection before reading from it pauses (1 MiB)
 * @param connections connections of one server (16,384); one more is closed at once
 * @param connectTimeout the time to connect (10 s)
 * @param callTimeout the time a call of our own waits for its answer where it says nothing else (60 s);
 *     zero means no limit
 * @param handlerTimeout the time a handler has before -32004 is answered; zero, the default, means no
 *     limit
 * @param firstByteTimeout the time a connection under {@link Framing#AUTO} has to say something (30 s),
 *     and in which a message that has arrived in part and counts as {@linkplain HeldBytes held} has to
 *     grow by an eighth
 * @param idleTimeout the time a connection may say nothing; zero, the default, means no limit
 * @param halfCloseTimeout the time that calls and notifications have to finish once the other side has
 *     ended its output (60 s); then they are cancelled without an answer, and the connection ends. TCP
 *     cannot tell a peer that still reads from a process that died. Where a peer is known to read no
 *     more, as after a reset or when a Unix socket was closed, its calls are cancelled at once, and
 *     only notifications have this time. Zero means no limit
 * @param drainTimeout the time a peer may leave our full buffer unread (30 s)
 * @param closeTimeout the time running calls have to finish when we close (5 s)
 */
public record Limits(
    int depth,
    int frameBytes,
    int headerBytes,
    int batch,
    int runningCalls,
    int queuedMessages,
    int queuedBytes,
    int pendingCalls,
    int outboundBytes,
    int connections,
    Duration connectTimeout,
    Duration callTimeout,
    Duration handlerTimeout,
    Duration firstByteTimeout,
    Duration idleTimeout,
    Duration halfCloseTimeout,
    Duration drainTimeout,
    Duration closeTimeout) {
  /** The default of {@link #depth}: deeper than data gets, shallow enough for any stack. */
  public static final int DEPTH = 500;

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

  /** What holds where nothing else is said. */
  public static final Limits DEFAULT = new Limits(
      DEPTH,
      16 << 20,
      8 << 10,
      1_000,
      1_024,
      10_000,
      16 << 20,
      100_000,
      1 << 20,
      16_384,
      Duration.ofSeconds(10),
      Duration.ofSeconds(60),
      Duration.ZERO,
      Duration.ofSeconds(30),
      Duration.ZERO,
      Duration.ofSeconds(60),
      Duration.ofSeconds(30),
      Duration.ofSeconds(5));

  /**
   * Refuses what is no bound.
   *
   * @throws IllegalArgumentException for a count that is not positive, a time that is negative or one
   *     past 292 years, the most that nanoseconds can count
   */
  public Limits {
    requirePositive("depth", depth);
    requirePositive("frameBytes", frameBytes);
    requirePositive("headerBytes", headerBytes);
    requirePositive("batch", batch);
    requirePositive("runningCalls", runningCalls);
    requirePositive("queuedMessages", queuedMessages);
    requirePositive("queuedBytes", queuedBytes);
    requirePositive("pendingCalls", pendingCalls);
    requirePositive("outboundBytes", outboundBytes);
    requirePositive("connections", connections);
    requireTime("connectTimeout", connectTimeout);
    requireTime("callTimeout", callTimeout);
    requireTime("handlerTimeout", handlerTimeout);
    requireTime("firstByteTimeout", firstByteTimeout);
    requireTime("idleTimeout", idleTimeout);
    requireTime("halfCloseTimeout", halfCloseTimeout);
    requireTime("drainTimeout", drainTimeout);
    requireTime("closeTimeout", closeTimeout);
  }

  private static void requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException("the limit " + name + " is at least 1, not " + value);
    }
  }

  static Duration requireTime(String name, Duration time) {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the time " + name + " is from zero to " + LONGEST.toDays() + " days, not " + time);
    }
    return time;
  }

  /**
   * The nanoseconds of a time that a user gave, from zero to 146 years: more is cut, so that the sum with
   * a {@link System#nanoTime()} or another such time does not overflow.
   */
  static long nanos(Duration time) {
    if (time.isNegative()) {
      return 0;
    }
    return time.compareTo(FOREVER) < 0 ? time.toNanos() : FOREVER.toNanos();
  }

  /** A copy with that {@link #depth}. */
  public Limits withDepth(int depth) {
    Draft draft = new Draft(this);
    draft.depth = depth;
    return draft.limits();
  }

  /** A copy with that {@link #frameBytes}. */
  public Limits withFrameBytes(int frameBytes) {
    Draft draft = new Draft(this);
    draft.frameBytes = frameBytes;
    return draft.limits();
  }

  /** A copy with that {@link #headerBytes}. */
  public Limits withHeaderBytes(int headerBytes) {
    Draft draft = new Draft(this);
    draft.headerBytes = headerBytes;
    return draft.limits();
  }

  /** A copy with that {@link #batch}. */
  public Limits withBatch(int batch) {
    Draft draft = new Draft(this);
    draft.batch = batch;
    return draft.limits();
  }

  /** A copy with that {@link #runningCalls}. */
  public Limits withRunningCalls(int runningCalls) {
    Draft draft = new Draft(this);
    draft.runningCalls = runningCalls;
    return draft.limits();
  }

  /** A copy with that {@link #queuedMessages}. */
  public Limits withQueuedMessages(int queuedMessages) {
    Draft draft = new Draft(this);
    draft.queuedMessages = queuedMessages;
    return draft.limits();
  }

  /** A copy with that {@link #queuedBytes}. */
  public Limits withQueuedBytes(int queuedBytes) {
    Draft draft = new Draft(this);
    draft.queuedBytes = queuedBytes;
    return draft.limits();
  }

  /** A copy with that {@link #pendingCalls}. */
  public Limits withPendingCalls(int pendingCalls) {
    Draft draft = new Draft(this);
    draft.pendingCalls = pendingCalls;
    return draft.limits();
  }

  /** A copy with that {@link #outboundBytes}. */
  public Limits withOutboundBytes(int outboundBytes) {
    Draft draft = new Draft(this);
    draft.outboundBytes = outboundBytes;
    return draft.limits();
  }

  /** A copy with that {@link #connections}. */
  public Limits withConnections(int connections) {
    Draft draft = new Draft(this);
    draft.connections = connections;
    return draft.limits();
  }

  /** A copy with that {@link #connectTimeout}. */
  public Limits withConnectTimeout(Duration connectTimeout) {
    Draft draft = new Draft(this);
    draft.connectTimeout = connectTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #callTimeout}. */
  public Limits withCallTimeout(Duration callTimeout) {
    Draft draft = new Draft(this);
    draft.callTimeout = callTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #handlerTimeout}. */
  public Limits withHandlerTimeout(Duration handlerTimeout) {
    Draft draft = new Draft(this);
    draft.handlerTimeout = handlerTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #firstByteTimeout}. */
  public Limits withFirstByteTimeout(Duration firstByteTimeout) {
    Draft draft = new Draft(this);
    draft.firstByteTimeout = firstByteTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #idleTimeout}. */
  public Limits withIdleTimeout(Duration idleTimeout) {
    Draft draft = new Draft(this);
    draft.idleTimeout = idleTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #halfCloseTimeout}. */
  public Limits withHalfCloseTimeout(Duration halfCloseTimeout) {
    Draft draft = new Draft(this);
    draft.halfCloseTimeout = halfCloseTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #drainTimeout}. */
  public Limits withDrainTimeout(Duration drainTimeout) {
    Draft draft = new Draft(this);
    draft.drainTimeout = drainTimeout;
    return draft.limits();
  }

  /** A copy with that {@link #closeTimeout}. */
  public Limits withCloseTimeout(Duration closeTimeout) {
    Draft draft = new Draft(this);
    draft.closeTimeout = closeTimeout;
    return draft.limits();
  }

  /** The components one by one, so that a copy with another value names no more than that one. */
  private static final class Draft {
    int depth;
    int frameBytes;
    int headerBytes;
    int batch;
    int runningCalls;
    int queuedMessages;
    int queuedBytes;
    int pendingCalls;
    int outboundBytes;
    int connections;
    Duration connectTimeout;
    Duration callTimeout;
    Duration handlerTimeout;
    Duration firstByteTimeout;
    Duration idleTimeout;
    Duration halfCloseTimeout;
    Duration drainTimeout;
    Duration closeTimeout;

    Draft(Limits of) {
      depth = of.depth;
      frameBytes = of.frameBytes;
      headerBytes = of.headerBytes;
      batch = of.batch;
      runningCalls = of.runningCalls;
      queuedMessages = of.queuedMessages;
      queuedBytes = of.queuedBytes;
      pendingCalls = of.pendingCalls;
      outboundBytes = of.outboundBytes;
      connections = of.connections;
      connectTimeout = of.connectTimeout;
      callTimeout = of.callTimeout;
      handlerTimeout = of.handlerTimeout;
      firstByteTimeout = of.firstByteTimeout;
      idleTimeout = of.idleTimeout;
      halfCloseTimeout = of.halfCloseTimeout;
      drainTimeout = of.drainTimeout;
      closeTimeout = of.closeTimeout;
    }

    Limits limits() {
      return new Limits(
          depth,
          frameBytes,
          headerBytes,
          batch,
          runningCalls,
          queuedMessages,
          queuedBytes,
          pendingCalls,
          outboundBytes,
          connections,
          connectTimeout,
          callTimeout,
          handlerTimeout,
          firstByteTimeout,
          idleTimeout,
          halfCloseTimeout,
          drainTimeout,
          closeTimeout);
    }
  }
}
