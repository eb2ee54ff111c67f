package dev.repartee.limits;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import java.time.Duration;

/**
 * The limits of one endpoint. Immutable: {@link #toBuilder} starts a changed copy. Defaults are
 * given in brackets.
 *
 * <p>All limits but {@link #connections} apply to each connection separately. A separate limit,
 * {@link MemoryBudget}, bounds the memory that all connections of the process use for large
 * messages.
 */
public final class Limits {
  /** The default of {@link #depth}: more than real data needs, and safe for any stack. */
  public static final int DEPTH = 500;

  /** The defaults. */
  public static final Limits DEFAULT = builder().build();

  private final Builder values; // its private copy, which nothing changes

  private Limits(Builder values) {
    this.values = new Builder(values);
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these limits. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /** Returns the clock of {@link TimeLimits}. */
  Clock clock() {
    return values.clock;
  }

  /**
   * Returns the number of arrays and objects nested in each other (500); text that nests deeper is
   * answered with -32700.
   */
  public int depth() {
    return values.depth;
  }

  /**
   * Returns the size of one message in bytes (16 MiB); a message of this size or more is answered
   * with -32003. The connection continues if the framing can skip the message; it ends at a {@code
   * Content-Length} of more than 64 times as much.
   */
  public int frameBytes() {
    return values.frameBytes;
  }

  /** Returns the size of one header block in bytes (8 KiB); a larger block ends the connection. */
  public int headerBytes() {
    return values.headerBytes;
  }

  /**
   * Returns the number of elements of one batch (1,000); a longer batch is answered with one
   * -32600.
   */
  public int batch() {
    return values.batch;
  }

  /**
   * Returns the maximum number of running calls of one connection (1,024); one more is answered
   * with -32000.
   */
  public int runningCalls() {
    return values.runningCalls;
  }

  /**
   * Returns the number of subscriptions that the other side of one connection may have here
   * (1,024); one more is answered with -32000. Other streams count as running calls.
   */
  public int subscriptions() {
    return values.subscriptions;
  }

  /**
   * Returns the number of messages of one connection that wait for earlier messages to finish
   * (10,000).
   */
  public int queuedMessages() {
    return values.queuedMessages;
  }

  /** Returns the size of the queued messages of one connection in bytes (16 MiB). */
  public int queuedBytes() {
    return values.queuedBytes;
  }

  /**
   * Returns the number of outgoing calls that wait for an answer on one connection (100,000); one
   * more throws {@link LimitException}.
   */
  public int pendingCalls() {
    return values.pendingCalls;
  }

  /**
   * Returns the number of unsent bytes on one connection (1 MiB). Above it the senders of calls and
   * notifications wait. While that many bytes of answers are unsent, no further handler starts, and
   * the connection is not read unless a call of this side waits for its answer.
   */
  public int outboundBytes() {
    return values.outboundBytes;
  }

  /**
   * Returns the maximum number of connections of one server (16,384); one more is closed
   * immediately.
   */
  public int connections() {
    return values.connections;
  }

  /** Returns the time to connect (10 s). */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /**
   * Returns the time that an outgoing call without an explicit time-out waits for its answer (60
   * s); zero means no limit. It does not limit a stream.
   */
  public Duration callTimeout() {
    return values.callTimeout;
  }

  /**
   * Returns the time that a handler has before the call is answered with -32004; zero, the default,
   * means no limit. A handler that returns a stream has that time to return it; the stream itself
   * has no limit of time.
   */
  public Duration handlerTimeout() {
    return values.handlerTimeout;
  }

  /**
   * Returns the time limit for the first byte of a connection with {@link
   * dev.repartee.framing.Framing#AUTO} (30 s). Within the same time, a partly received message that
   * is charged to the {@linkplain MemoryBudget memory budget} has to grow by an eighth of its
   * memory, and by 16 KiB at least.
   */
  public Duration firstByteTimeout() {
    return values.firstByteTimeout;
  }

  /**
   * Returns the time that a peer may send nothing while this side reads and has nothing left to
   * send; zero, the default, means no limit. Over HTTP it counts only while no request is served.
   * Pings and their answers do not count.
   */
  public Duration idleTimeout() {
    return values.idleTimeout;
  }

  /**
   * Returns the time between two pings of this side, on transports that have them, such as
   * WebSocket (30 s). The connection ends if nothing arrives for twice this time while this side
   * reads, not even the answer to a ping: the peer or the network between is dead. Zero means no
   * pings, and no such end.
   */
  public Duration pingInterval() {
    return values.pingInterval;
  }

  /**
   * Returns the time that calls and notifications have to finish after the peer has ended its
   * output (60 s); then they are cancelled without an answer, and the connection ends. Over TCP a
   * peer that still reads looks the same as a process that died. If the transport reports that the
   * peer no longer reads, as after a reset or when a Unix socket was closed, its calls are
   * cancelled immediately, and only notifications have this time. Zero means no limit.
   */
  public Duration halfCloseTimeout() {
    return values.halfCloseTimeout;
  }

  /**
   * Returns the time within which a peer has to read something while the write queue is full (30
   * s); otherwise the connection ends. Within the same time, the caller of a stream has to grant
   * its first items; otherwise the stream ends.
   */
  public Duration drainTimeout() {
    return values.drainTimeout;
  }

  /**
   * Returns the time that running calls have to finish when this side closes the connection (5 s).
   */
  public Duration closeTimeout() {
    return values.closeTimeout;
  }

  /**
   * A builder of limits. Each method sets the limit of its name and throws {@link
   * IllegalArgumentException} if a count is not positive, or a time is negative or longer than 292
   * years, the longest time that a {@code long} of nanoseconds can hold.
   */
  public static final class Builder {
    private int depth = DEPTH;
    private int frameBytes = 16 << 20;
    private int headerBytes = 8 << 10;
    private int batch = 1_000;
    private int runningCalls = 1_024;
    private int subscriptions = 1_024;
    private int queuedMessages = 10_000;
    private int queuedBytes = 16 << 20;
    private int pendingCalls = 100_000;
    private int outboundBytes = 1 << 20;
    private int connections = 16_384;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration callTimeout = Duration.ofSeconds(60);
    private Duration handlerTimeout = Duration.ZERO;
    private Duration firstByteTimeout = Duration.ofSeconds(30);
    private Duration idleTimeout = Duration.ZERO;
    private Duration pingInterval = Duration.ofSeconds(30);
    private Duration halfCloseTimeout = Duration.ofSeconds(60);
    private Duration drainTimeout = Duration.ofSeconds(30);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private Clock clock = Clock.SYSTEM;

    private Builder() {}

    private Builder(Builder of) {
      depth = of.depth;
      frameBytes = of.frameBytes;
      headerBytes = of.headerBytes;
      batch = of.batch;
      runningCalls = of.runningCalls;
      subscriptions = of.subscriptions;
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
      pingInterval = of.pingInterval;
      halfCloseTimeout = of.halfCloseTimeout;
      drainTimeout = of.drainTimeout;
      closeTimeout = of.closeTimeout;
      clock = of.clock;
    }

    /** Sets the clock of {@link TimeLimits}, for tests. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** Sets {@link Limits#depth}. */
    public Builder depth(int depth) {
      this.depth = requirePositive("depth", depth);
      return this;
    }

    /** Sets {@link Limits#frameBytes}. */
    public Builder frameBytes(int frameBytes) {
      this.frameBytes = requirePositive("frameBytes", frameBytes);
      return this;
    }

    /** Sets {@link Limits#headerBytes}. */
    public Builder headerBytes(int headerBytes) {
      this.headerBytes = requirePositive("headerBytes", headerBytes);
      return this;
    }

    /** Sets {@link Limits#batch}. */
    public Builder batch(int batch) {
      this.batch = requirePositive("batch", batch);
      return this;
    }

    /** Sets {@link Limits#runningCalls}. */
    public Builder runningCalls(int runningCalls) {
      this.runningCalls = requirePositive("runningCalls", runningCalls);
      return this;
    }

    /** Sets {@link Limits#subscriptions}. */
    public Builder subscriptions(int subscriptions) {
      this.subscriptions = requirePositive("subscriptions", subscriptions);
      return this;
    }

    /** Sets {@link Limits#queuedMessages}. */
    public Builder queuedMessages(int queuedMessages) {
      this.queuedMessages = requirePositive("queuedMessages", queuedMessages);
      return this;
    }

    /** Sets {@link Limits#queuedBytes}. */
    public Builder queuedBytes(int queuedBytes) {
      this.queuedBytes = requirePositive("queuedBytes", queuedBytes);
      return this;
    }

    /** Sets {@link Limits#pendingCalls}. */
    public Builder pendingCalls(int pendingCalls) {
      this.pendingCalls = requirePositive("pendingCalls", pendingCalls);
      return this;
    }

    /** Sets {@link Limits#outboundBytes}. */
    public Builder outboundBytes(int outboundBytes) {
      this.outboundBytes = requirePositive("outboundBytes", outboundBytes);
      return this;
    }

    /** Sets {@link Limits#connections}. */
    public Builder connections(int connections) {
      this.connections = requirePositive("connections", connections);
      return this;
    }

    /** Sets {@link Limits#connectTimeout}. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = Times.require("connectTimeout", connectTimeout);
      return this;
    }

    /** Sets {@link Limits#callTimeout}. */
    public Builder callTimeout(Duration callTimeout) {
      this.callTimeout = Times.require("callTimeout", callTimeout);
      return this;
    }

    /** Sets {@link Limits#handlerTimeout}. */
    public Builder handlerTimeout(Duration handlerTimeout) {
      this.handlerTimeout = Times.require("handlerTimeout", handlerTimeout);
      return this;
    }

    /** Sets {@link Limits#firstByteTimeout}. */
    public Builder firstByteTimeout(Duration firstByteTimeout) {
      this.firstByteTimeout = Times.require("firstByteTimeout", firstByteTimeout);
      return this;
    }

    /** Sets {@link Limits#idleTimeout}. */
    public Builder idleTimeout(Duration idleTimeout) {
      this.idleTimeout = Times.require("idleTimeout", idleTimeout);
      return this;
    }

    /** Sets {@link Limits#pingInterval}. */
    public Builder pingInterval(Duration pingInterval) {
      this.pingInterval = Times.require("pingInterval", pingInterval);
      return this;
    }

    /** Sets {@link Limits#halfCloseTimeout}. */
    public Builder halfCloseTimeout(Duration halfCloseTimeout) {
      this.halfCloseTimeout = Times.require("halfCloseTimeout", halfCloseTimeout);
      return this;
    }

    /** Sets {@link Limits#drainTimeout}. */
    public Builder drainTimeout(Duration drainTimeout) {
      this.drainTimeout = Times.require("drainTimeout", drainTimeout);
      return this;
    }

    /** Sets {@link Limits#closeTimeout}. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = Times.require("closeTimeout", closeTimeout);
      return this;
    }

    /** Returns the limits. */
    public Limits build() {
      return new Limits(this);
    }

    private static int requirePositive(String name, int value) {
      if (value <= 0) {
        throw new IllegalArgumentException("the limit " + name + " is at least 1, not " + value);
      }
      return value;
    }
  }
}
