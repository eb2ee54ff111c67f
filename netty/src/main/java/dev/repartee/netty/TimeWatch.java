package dev.repartee.netty;

import dev.repartee.limits.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one connection: {@code firstByteTimeout} for a message to arrive, {@code
 * idleTimeout} for silence, and {@code drainTimeout} for the peer to take output.
 *
 * <p>The handler belongs where bytes come in, and counts them. A scheduled task compares the count
 * with its last value, so nothing reads the clock while messages pass. In return a limit may be
 * noticed late, by one period of at most 1 s. Runs on the event loop.
 */
final class TimeWatch extends ChannelInboundHandlerAdapter {
  /** The bytes that have to arrive of a message within each {@code firstByteTimeout}. */
  private static final int PROGRESS = 16 << 10;

  /**
   * If more bytes are held of the message, this fraction of them has to arrive instead: a large
   * message must not occupy the memory budget for long.
   */
  private static final int SHARE = 8;

  /** The longest period between two checks, in nanoseconds. */
  private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(1);

  /** The shortest period between two checks, in nanoseconds. */
  private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(5);

  /** The connection that the limits hold for. */
  interface Watched {
    /**
     * Returns whether the peer has to send something: a request, or the rest of one. False while
     * this side does not read, since the peer is not to blame then.
     */
    boolean isOwed();

    /** Returns the bytes of the arriving message that are charged to the memory budget. */
    default int held() {
      return 0;
    }

    /** Returns whether the peer may end the silence: none of its requests is being served. */
    boolean isIdle();

    /** Returns the output that is being sent now, or null if nothing waits to be sent. */
    default @Nullable Leaving leaving(Channel channel) {
      ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
      Object first = out == null ? null : out.current();
      return first == null ? null : new Leaving(first, out.currentProgress());
    }

    /**
     * Handles a limit that has passed.
     *
     * @param limit the name of the limit
     */
    void passed(ChannelHandlerContext ctx, String limit, Duration time);
  }

  /**
   * The first output that waits to be sent, with a number that changes while it is sent. A change
   * of the output that is queued behind it is no sign of progress.
   */
  record Leaving(Object first, long progress) {}

  private final Limits limits;
  private Watched watched;
  private @Nullable Future<?> next;

  /** The bytes that have arrived so far. */
  private long arrived;

  /** True if a message was completed since the last check. */
  private boolean fresh = true;

  private boolean started;

  /** The value of {@code arrived} when the current period of {@code firstByteTimeout} began. */
  private long mark;

  private long markedAt;

  /** The value of {@code arrived} when the silence began. */
  private long idleMark;

  private long idleSince;

  /** The output that was being sent at the last check, unchanged since {@code drainsSince}. */
  private @Nullable Leaving leaving;

  private long drainsSince;

  TimeWatch(Limits limits, Watched watched) {
    this.limits = limits;
    this.watched = watched;
  }

  /** Applies the limits to another protocol on the same connection. */
  void hand(Watched next) {
    watched = next;
  }

  /** Records that a message has arrived completely. */
  void complete() {
    fresh = true;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      start(ctx); // added after the TLS handshake
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    start(ctx);
    ctx.fireChannelActive();
  }

  private void start(ChannelHandlerContext ctx) {
    if (started) {
      return;
    }
    started = true;
    long now = System.nanoTime();
    markedAt = now;
    idleSince = now;
    drainsSince = now;
    schedule(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      arrived += bytes.readableBytes();
    } else if (message instanceof ByteBufHolder frame) {
      arrived += frame.content().readableBytes();
    }
    ctx.fireChannelRead(message);
  }

  private void schedule(ChannelHandlerContext ctx) {
    long shortest =
        Math.min(limits.firstByteTimeout().toNanos(), limits.drainTimeout().toNanos());
    if (!limits.idleTimeout().isZero()) {
      shortest = Math.min(shortest, limits.idleTimeout().toNanos());
    }
    long period = Math.max(SHORTEST_PERIOD, Math.min(LONGEST_PERIOD, shortest / 4));
    next = ctx.executor().schedule(() -> look(ctx), period, TimeUnit.NANOSECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (next != null) {
      next.cancel(false);
    }
    ctx.fireChannelInactive();
  }

  /** Checks all limits. */
  private void look(ChannelHandlerContext ctx) {
    if (!ctx.channel().isOpen()) {
      return;
    }
    long now = System.nanoTime();
    message(ctx, now);
    idle(ctx, now);
    drain(ctx, now);
    schedule(ctx);
  }

  /** Checks {@code firstByteTimeout}. Each {@code PROGRESS} extends the time by another period. */
  private void message(ChannelHandlerContext ctx, long now) {
    if (fresh || !watched.isOwed()) {
      fresh = false;
      markAt(now);
    } else if (now - markedAt > limits.firstByteTimeout().toNanos()) {
      if (arrived - mark >= Math.max(PROGRESS, watched.held() / SHARE)) {
        markAt(now);
      } else {
        watched.passed(ctx, "firstByteTimeout", limits.firstByteTimeout());
      }
    }
  }

  private void markAt(long now) {
    mark = arrived;
    markedAt = now;
  }

  /** Checks {@code idleTimeout}. */
  private void idle(ChannelHandlerContext ctx, long now) {
    if (arrived != idleMark || !watched.isIdle()) {
      idleMark = arrived;
      idleSince = now;
    } else if (!limits.idleTimeout().isZero()
        && now - idleSince > limits.idleTimeout().toNanos()) {
      watched.passed(ctx, "idleTimeout", limits.idleTimeout());
    }
  }

  /** Checks {@code drainTimeout}: the socket has to accept some output within the limit. */
  private void drain(ChannelHandlerContext ctx, long now) {
    Leaving next = watched.leaving(ctx.channel());
    Leaving last = leaving;
    if (next == null
        || last == null
        || next.first() != last.first()
        || next.progress() != last.progress()) {
      leaving = next;
      drainsSince = now;
    } else if (now - drainsSince > limits.drainTimeout().toNanos()) {
      watched.passed(ctx, "drainTimeout", limits.drainTimeout());
    }
  }
}
