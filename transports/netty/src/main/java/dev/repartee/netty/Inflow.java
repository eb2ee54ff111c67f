package dev.repartee.netty;

import dev.repartee.limits.MemoryBudget;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Passes decoded messages on while they are accepted, and stops reading from the socket while they
 * are not. Messages that were already read are held here. Runs on the event loop.
 */
abstract class Inflow extends ChannelInboundHandlerAdapter {
  /**
   * Held messages of up to this many bytes are not charged to the memory budget; one read may
   * return that many.
   */
  private static final int FREE = 64 << 10;

  private final Queue<Object> held = new ArrayDeque<>(0);
  private final MemoryBudget.Share share = MemoryBudget.ofProcess().share(FREE);
  private long heldBytes;

  /** True from a message to the end of the read that returned it. */
  private boolean reading;

  /** True while {@link #proceed} runs, because it must not run inside itself. */
  private boolean processing;

  /** Returns whether another message may be processed now. */
  abstract boolean isReady();

  /** Processes a message. The caller releases it afterwards. */
  abstract void process(ChannelHandlerContext ctx, Object message);

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

  /** Flushes the output, except during a read, which flushes once at its end. */
  final void flush(ChannelHandlerContext ctx) {
    if (!reading) {
      ctx.flush();
    }
  }

  /** Processes held messages as far as possible, and sets whether the socket is read. */
  final void proceed(ChannelHandlerContext ctx) {
    if (processing) {
      return; // called by process(); the outer call checks isReady() again
    }
    processing = true;
    boolean ready;
    try {
      ready = processHeld(ctx);
    } finally {
      processing = false;
    }
    share.holdAnyway(heldBytes); // decoded messages cannot be refused any more
    ctx.channel().config().setAutoRead(ready);
  }

  /** Returns whether messages of the last read are held. */
  final boolean isHolding() {
    return !held.isEmpty();
  }

  private static int size(Object message) {
    return message instanceof ByteBufHolder holder ? holder.content().readableBytes() : 0;
  }

  private boolean processHeld(ChannelHandlerContext ctx) {
    boolean ready = isReady();
    while (ready && !held.isEmpty()) {
      Object message = held.remove();
      heldBytes -= size(message);
      try {
        process(ctx, message);
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
