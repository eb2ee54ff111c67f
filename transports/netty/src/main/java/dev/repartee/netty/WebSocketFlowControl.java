package dev.repartee.netty;

import dev.repartee.limits.MemoryBudget;
import dev.repartee.limits.TimeLimits;
import dev.repartee.netty.http.Deflate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the messages of a WebSocket from its frames, and answers pings. Runs on the event loop.
 */
final class WebSocketFlowControl extends Inflow implements TimeLimitsHandler.Watched {
  /**
   * The maximum number of unsent pongs. At this number reading stops, because the peer does not
   * read them.
   */
  private static final int PONGS = 64;

  /**
   * A partly received frame of up to this many bytes is not charged to the memory budget; one read
   * may return that many.
   */
  private static final int FRAME = 128 << 10;

  private final WebSocketChannel channel;
  private final MessageBytes message;
  private final MemoryBudget.Share frame = MemoryBudget.ofProcess().share(FRAME);
  private @Nullable ChannelHandlerContext context;
  private final Gate gate = new Gate();

  /** The number of bytes before the content of a ping or pong; frames of a client have a mask. */
  private final int controlHead;

  private int pongs;

  /** The number of received bytes of pings and pongs. */
  private long controlBytes;

  /** True if the arriving message began with a binary frame. */
  private boolean binary;

  /**
   * True after a frame exceeded the memory budget. Its bytes were dropped. The next frame can
   * therefore not be found, and the rest of the input is dropped too.
   */
  private boolean crowded;

  WebSocketFlowControl(WebSocketChannel channel, MessageBytes message, boolean masked) {
    this.channel = channel;
    this.controlHead = masked ? 6 : 2;
    this.message = message;
  }

  /**
   * Returns the decoder of a client's frames. It buffers one frame until it is complete, and
   * charges that buffer to the memory budget.
   */
  WebSocket13FrameDecoder decoder(WebSocketDecoderConfig config) {
    return new WebSocket13FrameDecoder(config) {
      @Override
      protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
          throws Exception {
        crowded |= !frame.hold(size(in));
        if (crowded) {
          in.skipBytes(in.readableBytes());
          message.clear();
          refuseCrowded();
        } else {
          super.decode(ctx, in, out);
          // A complete frame has left the buffer as part of a message, which is charged on its own.
          frame.holdAnyway(size(in));
        }
      }

      /** Returns the charge for a buffer: its capacity, but at most twice the bytes still in it. */
      private long size(ByteBuf in) {
        return Math.min(in.capacity(), 2L * in.readableBytes());
      }

      @Override
      public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
        super.channelRead(ctx, bytes);
        frame.holdAnyway(internalBuffer().capacity());
      }

      @Override
      protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        super.handlerRemoved0(ctx);
        frame.hold(0);
      }
    };
  }

  private void refuse() {
    if (message.isCrowded()) {
      refuseCrowded();
    } else {
      channel.refuse(WebSocketCloseStatus.MESSAGE_TOO_BIG, "a message passed the limit frameBytes");
    }
    message.clear();
  }

  private void refuseCrowded() {
    channel.refuse(
        WebSocketCloseStatus.TRY_AGAIN_LATER,
        "all connections together hold as much as they may, the limit heldBytes");
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Continues delivery and reading, as far as possible now. */
  void goOn() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ctx.isRemoved()) {
      proceed(ctx);
      if (gate.context != null) {
        gate.proceed(gate.context);
      }
    }
  }

  /**
   * Adds the handlers to a pipeline, with the gate before the decompression and this handler after
   * it.
   *
   * @param unpacking the class of the handler that decompresses, which the pipeline may lack
   */
  void join(ChannelPipeline pipeline, Class<? extends ChannelHandler> unpacking) {
    ChannelHandlerContext extension = pipeline.context(unpacking);
    if (extension != null) {
      pipeline.addBefore(extension.name(), null, gate);
    }
    pipeline.addLast(this);
  }

  /**
   * Holds compressed messages back while none is accepted. If they were held after the
   * decompression, they would need up to 1,000 times the memory.
   */
  private final class Gate extends Inflow {
    private @Nullable ChannelHandlerContext context;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      context = ctx;
    }

    @Override
    boolean isReady() {
      return WebSocketFlowControl.this.isReady();
    }

    @Override
    void process(ChannelHandlerContext ctx, Object frame) {
      ctx.fireChannelRead(ReferenceCountUtil.retain(frame));
    }
  }

  @Override
  boolean isReady() {
    return channel.isDeaf() || pongs < PONGS && channel.isReady();
  }

  @Override
  void process(ChannelHandlerContext ctx, Object frame) {
    if (frame instanceof PingWebSocketFrame || frame instanceof PongWebSocketFrame) {
      controlBytes += controlHead + bytes(frame);
    }
    if (frame instanceof CloseWebSocketFrame close) {
      channel.closeReceived(close.statusCode(), close.reasonText());
    } else if (channel.isDeaf()) {
      return;
    } else if (frame instanceof PingWebSocketFrame ping) {
      pongs++;
      ctx.write(new PongWebSocketFrame(ping.content().retain())).addListener(sent -> {
        pongs--;
        goOn();
      });
      flush(ctx);
    } else if (frame instanceof BinaryWebSocketFrame) {
      binary = true;
      part((WebSocketFrame) frame);
    } else if (frame instanceof TextWebSocketFrame) {
      binary = false;
      part((WebSocketFrame) frame);
    } else if (frame instanceof ContinuationWebSocketFrame) {
      part((WebSocketFrame) frame);
    }
  }

  private static int bytes(Object frame) {
    return ((WebSocketFrame) frame).content().readableBytes();
  }

  @Override
  public boolean isReading() {
    return !channel.isDeaf() && isReady();
  }

  /**
   * Sends a ping. While this side does not read, the answer could not arrive, but the peer notices
   * that this side is alive.
   */
  @Override
  public boolean ping() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ctx.isRemoved() && !channel.isDeaf() && ctx.channel().isWritable()) {
      ctx.writeAndFlush(new PingWebSocketFrame());
    }
    return true;
  }

  @Override
  public long receivedOfPings() {
    return controlBytes;
  }

  private void part(WebSocketFrame frame) {
    if (frame.rsv() != 0) {
      channel.refuse(WebSocketCloseStatus.PROTOCOL_ERROR, "a frame has reserved bits set");
    } else if (!message.append(frame.content())) {
      refuse();
    } else if (frame.isFinalFragment()) {
      if (message.isUtf8()) {
        channel.deliver(message.bytes, message.size, binary);
        message.clear();
      } else {
        channel.refuse(WebSocketCloseStatus.INVALID_PAYLOAD_DATA, "a message was not UTF-8");
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    channel.inactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    super.handlerRemoved(ctx);
    message.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Throwable root = cause.getCause();
    if (cause instanceof DecompressionException packed) {
      channel.refuse(Deflate.status(packed), String.valueOf(cause.getMessage()));
      return;
    }
    if (cause instanceof CorruptedWebSocketFrameException corrupted) {
      channel.refuse(corrupted.closeStatus(), String.valueOf(corrupted.getMessage()));
    } else if (root instanceof CorruptedWebSocketFrameException corrupted) {
      channel.refuse(corrupted.closeStatus(), String.valueOf(corrupted.getMessage()));
    } else {
      channel.closed(cause instanceof IOException ? channel.lost(cause) : cause);
    }
  }

  /**
   * Returns whether the peer must continue a large message. Otherwise each side may be silent
   * without a limit.
   */
  @Override
  public boolean isMessageDue() {
    return held() > 0 && !channel.isDeaf() && isReady();
  }

  @Override
  public int held() {
    return message.held() + (int) frame.counted();
  }

  @Override
  public boolean isIdle() {
    return !channel.isDeaf() && isReady();
  }

  @Override
  public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
    channel.closed(limit.reason(channel.info().other(), channel.limits));
  }
}
