package dev.repartee.netty;

import dev.repartee.Limits;
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
 * The time limits of one connection. It stands where bytes come in and looks by itself now and then,
 * so that nothing reads the clock while messages pass.
 */
final class TimeWatch extends ChannelInboundHandlerAdapter {
  /** While a message arrives, that many bytes within the limit are progress enough. */
  private static final int PROGRESS = 16 << 10;

  /** And that part of what is held of it, if that is more: others want to have their turn. */
  private static final int SHARE = 8;

  private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(5);

  /** Whose limits these are. */
  interface Watched {
    /** Whether the peer could be heard and has something to say first: a request, or its rest. */
    boolean isOwed();

    /** How many bytes are held of the message that arrives, where they are enough to count. */
    default int held() {
      return 0;
    }

    /** Whether silence is the peer's choice: nothing of it is being served. */
    boolean isIdle();

    /** What is on its way out just now; null where nothing waits to leave. */
    default @Nullable Leaving leaving(Channel channel) {
      ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
      Object first = out == null ? null : out.current();
      return first == null ? null : new Leaving(first, out.currentProgress());
    }

    /** The limit of that name has passed. */
    void passed(ChannelHandlerContext ctx, String limit, Duration time);
  }

  /** What leaves first, and a number that changes as it does: what is queued behind tells nothing. */
  record Leaving(Object first, long progress) {}

  private final Limits limits;
  private Watched watched;
  private @Nullable Future<?> next;
  private long arrived;
  private boolean fresh = true;
  private boolean started;
  private long mark;
  private long markedAt;
  private long idleMark;
  private long idleSince;
  private @Nullable Leaving leaving;
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
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      start(ctx); // TLS came first
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
