package dev.repartee.netty;

import dev.repartee.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time limits of one connection. It stands where bytes come in and looks by itself now and then,
 * so that nothing reads the clock while messages pass.
 */
final class TimeWatch extends ChannelInboundHandlerAdapter {
  /** While a message arrives, that many bytes within the limit are progress enough. */
  private static final int PROGRESS = 16 << 10;

  private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(5);

  /** Whose limits these are. */
  interface Watched {
    /** Whether the peer could be heard and has something to say first: a request, or its rest. */
    boolean isOwed();

    /** Whether silence is the peer's choice: nothing of it is being served. */
    boolean isIdle();

    /** The limit of that name has passed. */
    void passed(ChannelHandlerContext ctx, String limit, Duration time);
  }

  private final Limits limits;
  private Watched watched;
  private long arrived;
  private boolean fresh = true;
  private long mark;
  private long markedAt;
  private long idleMark;
  private long idleSince;

  /** What leaves, and how much of it has left: what is queued behind it tells nothing. */
  private @Nullable Object leaving;

  private long left;
  private long drainsSince;

  TimeWatch(Limits limits, Watched watched) {
    this.limits = limits;
    this.watched = watched;
  }

  /** From now on these are the limits of that. */
  void hand(Watched next) {
    watched = next;
  }

  /** A message has arrived to its end. */
  void complete() {
    fresh = true;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    long now = System.nanoTime();
    markedAt = now;
    idleSince = now;
    drainsSince = now;
    schedule(ctx);
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      arrived += bytes.readableBytes();
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
    ctx.executor().schedule(() -> look(ctx), period, TimeUnit.NANOSECONDS);
  }

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

  private void message(ChannelHandlerContext ctx, long now) {
    if (fresh || !watched.isOwed()) {
      fresh = false;
      markAt(now);
    } else if (now - markedAt > limits.firstByteTimeout().toNanos()) {
      if (arrived - mark >= PROGRESS) {
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

  private void idle(ChannelHandlerContext ctx, long now) {
    if (arrived != idleMark || !watched.isIdle()) {
      idleMark = arrived;
      idleSince = now;
    } else if (!limits.idleTimeout().isZero()
        && now - idleSince > limits.idleTimeout().toNanos()) {
      watched.passed(ctx, "idleTimeout", limits.idleTimeout());
    }
  }

  private void drain(ChannelHandlerContext ctx, long now) {
    Channel channel = ctx.channel();
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    Object first = out == null ? null : out.current();
    long progress = out == null ? 0 : out.currentProgress();
    if (first == null || first != leaving || progress != left) {
      leaving = first;
      left = progress;
      drainsSince = now;
    } else if (now - drainsSince > limits.drainTimeout().toNanos()) {
      watched.passed(ctx, "drainTimeout", limits.drainTimeout());
    }
  }
}
