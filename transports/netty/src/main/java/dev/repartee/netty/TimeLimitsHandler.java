package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Applies the {@link TimeLimits} of one connection. The handler must be the first that receives
 * bytes, and counts them; a scheduled task checks the limits. A limit may therefore be noticed
 * late, by one period of at most 1 s. Runs on the event loop.
 */
final class TimeLimitsHandler extends ChannelInboundHandlerAdapter {
  /** The user of the connection; its methods mean the same as in {@link TimeLimits.Connection}. */
  interface Watched {
    boolean isMessageDue();

    default int held() {
      return 0;
    }

    boolean isIdle();

    default boolean isReading() {
      return true;
    }

    default boolean ping() {
      return false;
    }

    /** Returns the number of received bytes that belong to pings and their answers. */
    default long receivedOfPings() {
      return 0;
    }

    /** Returns the output that is being sent now, or null if no output is queued. */
    default @Nullable Unread unread(Channel channel) {
      ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
      Object first = out == null ? null : out.current();
      return first == null ? null : new Unread(first, out.currentProgress());
    }

    /** Handles a limit that has passed. */
    void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit);
  }

  /**
   * The first output that is not sent completely, with a number that changes while it is sent. A
   * change of the output that is queued after it is not a sign of progress.
   */
  record Unread(Object first, long progress) {
    /** Compares the outputs by identity: buffers would compare their contents. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Unread that && first == that.first && progress == that.progress;
    }

    @Override
    public int hashCode() {
      return Objects.hash(System.identityHashCode(first), progress);
    }
  }

  private final Limits limits;
  private Watched watched;

  /** Null until the connection is open. */
  private @Nullable TimeLimits times;

  private @Nullable Future<?> next;

  /** The number of bytes that have arrived so far. */
  private long received;

  TimeLimitsHandler(Limits limits, Watched watched) {
    this.limits = limits;
    this.watched = watched;
  }

  /** Applies the limits to another protocol on the same connection. */
  void hand(Watched next) {
    watched = next;
  }

  /** Records that a message has arrived completely. */
  void completed() {
    if (times != null) {
      times.completed();
    }
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
    if (times == null) {
      TimeLimits starting = new TimeLimits(limits, new Connection(ctx.channel()));
      times = starting;
      schedule(ctx, starting);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      received += bytes.readableBytes();
    } else if (message instanceof ByteBufHolder frame) {
      received += frame.content().readableBytes();
    }
    ctx.fireChannelRead(message);
  }

  private void schedule(ChannelHandlerContext ctx, TimeLimits times) {
    long period = TimeLimits.period(limits).toNanos();
    next = ctx.executor().schedule(() -> check(ctx, times), period, TimeUnit.NANOSECONDS);
  }

  /**
   * Closes the socket {@code LINGER_SECONDS} after the end of its output. If a write fails with an
   * exception that is not an {@link java.io.IOException}, Netty ends only the output. Such a
   * connection has no queued output, which {@code drainTimeout} needs, and its peer may never send
   * again.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelOutputShutdownEvent.INSTANCE) {
      ctx.executor().schedule(() -> ctx.close(), ServedConnection.LINGER_SECONDS, TimeUnit.SECONDS);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (next != null) {
      next.cancel(false);
    }
    ctx.fireChannelInactive();
  }

  private void check(ChannelHandlerContext ctx, TimeLimits times) {
    if (!ctx.channel().isOpen()) {
      return;
    }
    TimeLimits.Limit limit = times.passed();
    if (limit != null) {
      watched.passed(ctx, limit);
    }
    schedule(ctx, times);
  }

  /** Adds the counts of this handler to the state of the {@link Watched}. */
  private final class Connection implements TimeLimits.Connection {
    private final Channel channel;

    Connection(Channel channel) {
      this.channel = channel;
    }

    @Override
    public boolean isMessageDue() {
      return watched.isMessageDue();
    }

    @Override
    public int held() {
      return watched.held();
    }

    @Override
    public long received() {
      return received;
    }

    @Override
    public long receivedOfMessages() {
      return received - watched.receivedOfPings();
    }

    @Override
    public boolean isReading() {
      return watched.isReading();
    }

    @Override
    public boolean ping() {
      return watched.ping();
    }

    @Override
    public boolean isIdle() {
      return watched.isIdle() && unread() == null;
    }

    @Override
    public @Nullable Object unread() {
      return watched.unread(channel);
    }
  }
}
