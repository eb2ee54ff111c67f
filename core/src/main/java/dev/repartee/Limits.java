package dev.repartee;

import java.time.Duration;

/**
 * The limits of one endpoint. Immutable. Defaults are given in brackets; a {@code with} method
 * changes each limit.
 *
 * <p>All limits but {@code connections} apply to each connection separately. A separate limit,
 * {@link MemoryBudget}, bounds the memory that all connections of the process use for large messages.
 *
 * @param depth the number of arrays and objects nested in each other (500); text that nests deeper
 *     is answered -32700
 * @param frameBytes the size of one message in bytes (16 MiB); a message of this size or more is
 *     answered -32003. The connection continues if the framing can skip the message
 * @param headerBytes the size of one header block in bytes (8 KiB); a larger block ends the
 *     connection
 * @param batch the number of elements of one batch (1,000); a longer batch is answered one -32600
 * @param runningCalls the number of calls that run at once on one connection (1,024); one more is
 *     answered -32000
 * @param queuedMessages the number of messages of one connection that wait for earlier messages to
 *     finish (10,000)
 * @param queuedBytes the size of the queued messages of one connection in bytes (16 MiB)
 * @param pendingCalls the number of outgoing calls that wait for an answer on one connection
 *     (100,000); one more throws {@link LimitException}
 * @param outboundBytes the number of unsent bytes on one connection (1 MiB); above it the
 *     connection is not read
 * @param connections the number of connections of one server (16,384); one more is closed at once
 * @param connectTimeout the time to connect (10 s)
 * @param callTimeout the time that an outgoing call without a time-out of its own waits for its
 *     answer (60 s); zero means no limit
 * @param handlerTimeout the time that a handler has before the call is answered -32004; zero, the
 *     default, means no limit
 * @param firstByteTimeout the time in which a connection with {@link Framing#AUTO} has to send its
 *     first byte (30 s). Also the time in which a partly received message that counts as
 *     {@linkplain MemoryBudget held} has to grow by an eighth
 * @param idleTimeout the time that a peer may send nothing; zero, the default, means no limit
 * @param halfCloseTimeout the time that calls and notifications have to finish after the peer has
 *     ended its output (60 s); then they are cancelled without an answer, and the connection ends.
 *     Over TCP a peer that still reads looks the same as a process that died. If the transport
 *     reports that the peer no longer reads, as after a reset or when a Unix socket was closed, its
 *     calls are cancelled at once, and only notifications have this time. Zero means no limit
 * @param drainTimeout the time in which a peer has to read something while the write queue is full
 *     (30 s); otherwise the connection ends
 * @param closeTimeout the time that running calls have to finish when this side closes the
 *     connection (5 s)
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
  /** The default of {@link #depth}: more than real data needs, and safe for any stack. */
  public static final int DEPTH = 500;

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

  /** The defaults. */
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
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a count is not positive, or a time is negative or longer
   *     than 292 years, the longest time that a {@code long} of nanoseconds can hold
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
   * Returns the nanoseconds of a time that a user gave, limited to 0 to 146 years. So the sum with
   * a {@link System#nanoTime()} or another such time does not overflow.
   */
  static long nanos(Duration time) {
    if (time.isNegative()) {
      return 0;
    }
    return time.compareTo(FOREVER) < 0 ? time.toNanos() : FOREVER.toNanos();
  }

  /** Returns a copy with this {@link #depth}. */
  public Limits withDepth(int depth) {
    Draft draft = new Draft(this);
    draft.depth = depth;
    return draft.limits();
  }

  /** Returns a copy with this {@link #frameBytes}. */
  public Limits withFrameBytes(int frameBytes) {
    Draft draft = new Draft(this);
    draft.frameBytes = frameBytes;
    return draft.limits();
  }

  /** Returns a copy with this {@link #headerBytes}. */
  public Limits withHeaderBytes(int headerBytes) {
    Draft draft = new Draft(this);
    draft.headerBytes = headerBytes;
    return draft.limits();
  }

  /** Returns a copy with this {@link #batch}. */
  public Limits withBatch(int batch) {
    Draft draft = new Draft(this);
    draft.batch = batch;
    return draft.limits();
  }

  /** Returns a copy with this {@link #runningCalls}. */
  public Limits withRunningCalls(int runningCalls) {
    Draft draft = new Draft(this);
    draft.runningCalls = runningCalls;
    return draft.limits();
  }

  /** Returns a copy with this {@link #queuedMessages}. */
  public Limits withQueuedMessages(int queuedMessages) {
    Draft draft = new Draft(this);
    draft.queuedMessages = queuedMessages;
    return draft.limits();
  }

  /** Returns a copy with this {@link #queuedBytes}. */
  public Limits withQueuedBytes(int queuedBytes) {
    Draft draft = new Draft(this);
    draft.queuedBytes = queuedBytes;
    return draft.limits();
  }

  /** Returns a copy with this {@link #pendingCalls}. */
  public Limits withPendingCalls(int pendingCalls) {
    Draft draft = new Draft(this);
    draft.pendingCalls = pendingCalls;
    return draft.limits();
  }

  /** Returns a copy with this {@link #outboundBytes}. */
  public Limits withOutboundBytes(int outboundBytes) {
    Draft draft = new Draft(this);
    draft.outboundBytes = outboundBytes;
    return draft.limits();
  }

  /** Returns a copy with this {@link #connections}. */
  public Limits withConnections(int connections) {
    Draft draft = new Draft(this);
    draft.connections = connections;
    return draft.limits();
  }

  /** Returns a copy with this {@link #connectTimeout}. */
  public Limits withConnectTimeout(Duration connectTimeout) {
    Draft draft = new Draft(this);
    draft.connectTimeout = connectTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #callTimeout}. */
  public Limits withCallTimeout(Duration callTimeout) {
    Draft draft = new Draft(this);
    draft.callTimeout = callTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #handlerTimeout}. */
  public Limits withHandlerTimeout(Duration handlerTimeout) {
    Draft draft = new Draft(this);
    draft.handlerTimeout = handlerTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #firstByteTimeout}. */
  public Limits withFirstByteTimeout(Duration firstByteTimeout) {
    Draft draft = new Draft(this);
    draft.firstByteTimeout = firstByteTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #idleTimeout}. */
  public Limits withIdleTimeout(Duration idleTimeout) {
    Draft draft = new Draft(this);
    draft.idleTimeout = idleTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #halfCloseTimeout}. */
  public Limits withHalfCloseTimeout(Duration halfCloseTimeout) {
    Draft draft = new Draft(this);
    draft.halfCloseTimeout = halfCloseTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #drainTimeout}. */
  public Limits withDrainTimeout(Duration drainTimeout) {
    Draft draft = new Draft(this);
    draft.drainTimeout = drainTimeout;
    return draft.limits();
  }

  /** Returns a copy with this {@link #closeTimeout}. */
  public Limits withCloseTimeout(Duration closeTimeout) {
    Draft draft = new Draft(this);
    draft.closeTimeout = closeTimeout;
    return draft.limits();
  }

  /** A mutable copy of the components, so that each {@code with} method names only its own one. */
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
