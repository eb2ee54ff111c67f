package dev.repartee.netty;

import dev.repartee.HeldBytes;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Takes messages in as long as more are welcome, and stops reading while they are not. What was
 * decoded by then waits here: no more than one read brought. Everything runs on the event loop.
 */
abstract class Inflow extends ChannelInboundHandlerAdapter {
  /** What one read brings is not counted. */
  private static final int FREE = 64 << 10;

  private final Queue<Object> held = new ArrayDeque<>(0);
  private final HeldBytes.Share share = HeldBytes.ofProcess().share(FREE);
  private long heldBytes;
  private boolean reading;
  private boolean taking;

  /** Whether another message may be taken now. */
  abstract boolean isReady();

  /** Takes a message, which is released afterwards. */
  abstract void take(ChannelHandlerContext ctx, Object message);

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object message) {
    reading = true;
    held.add(message);
    heldBytes += size(message);
    proceed(ctx);
  }

  @Override
  public final void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    ctx.flush();
    ctx.fireChannelReadComplete();
  }

  /** Sends what was written, unless more will be before this burst has been read. */
  final void flush(ChannelHandlerContext ctx) {
    if (!reading) {
      ctx.flush();
    }
  }

  /** Goes on as far as that is welcome. */
  final void proceed(ChannelHandlerContext ctx) {
    if (taking) {
      return; // what is being taken made room, and the loop below looks again
    }
    taking = true;
    boolean ready;
    try {
      ready = takeHeld(ctx);
    } finally {
      taking = false;
    }
    share.holdAnyway(heldBytes); // whoever decoded it had found room for it
    ctx.channel().config().setAutoRead(ready);
  }

  /** Whether messages wait here that came before the end of the last read. */
  final boolean isHolding() {
    return !held.isEmpty();
  }

  private static int size(Object message) {
    return message instanceof ByteBufHolder holder ? holder.content().readableBytes() : 0;
  }

  private boolean takeHeld(ChannelHandlerContext ctx) {
    boolean ready = isReady();
    while (ready && !held.isEmpty()) {
      Object message = held.remove();
      heldBytes -= size(message);
      try {
        take(ctx, message);
      } finally {
        ReferenceCountUtil.release(message);
      }
      ready = isReady();
    }
    return ready;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    for (Object message = held.poll(); message != null; message = held.poll()) {
      ReferenceCountUtil.release(message);
    }
    heldBytes = 0;
    share.hold(0);
  }
}
