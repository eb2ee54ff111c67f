package dev.repartee;

import java.time.Duration;

/**
 * The bounds of one endpoint; each is a number that can be changed with the {@code with} method of
 * its name.
 *
 * @param depth containers inside each other; deeper text is -32700
 * @param frameBytes bytes of one message; that many or more is -32003, and the connection goes on
 *     where the framing can skip it
 * @param headerBytes bytes of one header block; more ends the connection
 * @param batch elements of one batch; more is one -32600
 * @param runningCalls calls that run at once on one connection; one more is answered -32000
 * @param queuedMessages messages of one connection that wait for earlier ones to finish
 * @param queuedBytes bytes of those messages
 * @param pendingCalls calls of our own that wait for an answer on one connection
 * @param outboundBytes bytes that wait to leave on one connection before reading from it pauses
 * @param connections connections of one server; one more is closed at once
 * @param connectTimeout the time to connect
 * @param callTimeout the time a call of our own waits for its answer where it says nothing else
 * @param handlerTimeout the time a handler has before -32004 is answered; zero means no limit
 * @param firstByteTimeout the time a connection under {@link Framing#AUTO} has to say something
 * @param idleTimeout the time a connection may say nothing; zero means no limit
 * @param drainTimeout the time a peer may leave our full buffer unread
 * @param closeTimeout the time running calls have to finish when we close
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
    Duration drainTimeout,
    Duration closeTimeout) {
  /** The default of {@link #depth}: deeper than data gets, shallow enough for any stack. */
  public static final int DEPTH = 500;

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
      Duration.ofSeconds(30),
      Duration.ofSeconds(5));

  /** A copy with that {@link #depth}. */
  public Limits withDepth(int depth) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #frameBytes}. */
  public Limits withFrameBytes(int frameBytes) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #headerBytes}. */
  public Limits withHeaderBytes(int headerBytes) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #batch}. */
  public Limits withBatch(int batch) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #runningCalls}. */
  public Limits withRunningCalls(int runningCalls) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #queuedMessages}. */
  public Limits withQueuedMessages(int queuedMessages) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #queuedBytes}. */
  public Limits withQueuedBytes(int queuedBytes) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #pendingCalls}. */
  public Limits withPendingCalls(int pendingCalls) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #outboundBytes}. */
  public Limits withOutboundBytes(int outboundBytes) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #connections}. */
  public Limits withConnections(int connections) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #connectTimeout}. */
  public Limits withConnectTimeout(Duration connectTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #callTimeout}. */
  public Limits withCallTimeout(Duration callTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #handlerTimeout}. */
  public Limits withHandlerTimeout(Duration handlerTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #firstByteTimeout}. */
  public Limits withFirstByteTimeout(Duration firstByteTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #idleTimeout}. */
  public Limits withIdleTimeout(Duration idleTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #drainTimeout}. */
  public Limits withDrainTimeout(Duration drainTimeout) {
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
        drainTimeout,
        closeTimeout);
  }

  /** A copy with that {@link #closeTimeout}. */
  public Limits withCloseTimeout(Duration closeTimeout) {
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
        drainTimeout,
        closeTimeout);
  }
}
