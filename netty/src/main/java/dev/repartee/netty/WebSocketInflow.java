package dev.repartee.netty;

import dev.repartee.Limits;
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
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes messages of the frames of a WebSocket, and answers its pings. */
final class WebSocketInflow extends Inflow implements TimeWatch.Watched {
  /** Pongs that may wait for a peer that does not read. */
  private static final int PONGS = 64;

  private final WebSocketChannel channel;
  private final MessageBytes message;
  private @Nullable ChannelHandlerContext context;
  private final Gate gate = new Gate();
  private int pongs;

  WebSocketInflow(WebSocketChannel channel, Limits limits) {
    this.channel = channel;
    this.message = new MessageBytes(limits.frameBytes());
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
    if (frame instanceof CloseWebSocketFrame) {
      channel.closeReceived();
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
      channel.refuse(WebSocketCloseStatus.INVALID_MESSAGE_TYPE, "a message is text, not binary");
    } else if (frame instanceof TextWebSocketFrame || frame instanceof ContinuationWebSocketFrame) {
      part((WebSocketFrame) frame);
    }
  }

  private void part(WebSocketFrame frame) {
    if (frame.rsv() != 0) {
      channel.refuse(WebSocketCloseStatus.PROTOCOL_ERROR, "a frame has bits nobody agreed on");
    } else if (!message.append(frame.content())) {
      channel.refuse(WebSocketCloseStatus.MESSAGE_TOO_BIG, "a message passed the limit frameBytes");
    } else if (frame.isFinalFragment()) {
      if (Utf8.isValid(message.bytes, message.size)) {
        channel.deliver(message.bytes, message.size);
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

  /** Nothing is owed: either side may be silent for as long as it likes. */
  @Override
  public boolean isOwed() {
    return false;
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
