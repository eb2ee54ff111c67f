package dev.repartee.netty;

import dev.repartee.HeldBytes;
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
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes messages of the frames of a WebSocket, and answers its pings. */
final class WebSocketInflow extends Inflow implements TimeWatch.Watched {
  /** Pongs that may wait for a peer that does not read. */
  private static final int PONGS = 64;

  /** What is kept of a frame of that size, which one read may bring, is not counted. */
  private static final int FRAME = 128 << 10;

  private final WebSocketChannel channel;
  private final MessageBytes message;
  private final HeldBytes.Share frame = HeldBytes.ofProcess().share(FRAME);
  private @Nullable ChannelHandlerContext context;
  private final Gate gate = new Gate();
  private int pongs;

  /** Whether the message that arrives began with a binary frame. */
  private boolean binary;

  /** Whether a frame found no room: nothing behind its beginning can be told apart. */
  private boolean crowded;

  WebSocketInflow(WebSocketChannel channel, MessageBytes message) {
    this.channel = channel;
    this.message = message;
  }

  /** Finds the frames of a client, one of which is kept until all of it has come. */
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
          // What has become a frame goes on as a message, which counts by itself.
          frame.holdAnyway(size(in));
        }
      }

      /** The size of the buffer, as far as what is still in it needs that. */
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

  /** Goes on where delivery was stopped, as far as that is possible now. */
  void goOn() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ctx.isRemoved()) {
      proceed(ctx);
      if (gate.context != null) {
        gate.proceed(gate.context);
      }
    }
  }

  /** Joins the pipeline, behind whatever unpacks messages. */
  void join(ChannelPipeline pipeline, Class<? extends ChannelHandler> unpacking) {
    ChannelHandlerContext extension = pipeline.context(unpacking);
    if (extension != null) {
      pipeline.addBefore(extension.name(), null, gate);
    }
    pipeline.addLast(this);
  }

  /** Holds packed messages back while none is welcome: unpacked they take up to 1,000 times the room. */
  private final class Gate extends Inflow {
    private @Nullable ChannelHandlerContext context;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      context = ctx;
    }

    @Override
    boolean isReady() {
      return WebSocketInflow.this.isReady();
    }

    @Override
    void take(ChannelHandlerContext ctx, Object frame) {
      ctx.fireChannelRead(ReferenceCountUtil.retain(frame));
    }
  }

  @Override
  boolean isReady() {
    return channel.isDeaf() || pongs < PONGS && channel.isReady();
  }

  @Override
  void take(ChannelHandlerContext ctx, Object frame) {
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

  private void part(WebSocketFrame frame) {
    if (frame.rsv() != 0) {
      channel.refuse(WebSocketCloseStatus.PROTOCOL_ERROR, "a frame has bits nobody agreed on");
    } else if (!message.append(frame.content())) {
      refuse();
    } else if (frame.isFinalFragment()) {
      if (Utf8.isValid(message.bytes, message.size)) {
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
      channel.end(cause instanceof IOException ? channel.lost(cause) : cause);
    }
  }

  /** Either side may be silent for as long as it likes, but not in the middle of a large message. */
  @Override
  public boolean isOwed() {
    return held() > 0 && !channel.isDeaf() && isReady();
  }

  @Override
  public int held() {
    return message.held() + (int) frame.counted();
  }

  @Override
  public boolean isIdle() {
    return true;
  }

  @Override
  public void passed(ChannelHandlerContext ctx, String limit, Duration time) {
    channel.end(channel.lost(
        new IOException("nothing moved for " + time.toMillis() + " ms, the limit " + limit)));
  }
}
