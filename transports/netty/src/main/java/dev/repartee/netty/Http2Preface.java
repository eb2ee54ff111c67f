package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;

/**
 * Detects a client that starts with the connection preface of HTTP/2 because it knows that this
 * server speaks it (prior knowledge, RFC 9113 section 3.4). Removing this handler passes the bytes
 * on to the next one.
 */
final class Http2Preface extends ByteToMessageDecoder {
  private static final ByteBuf PREFACE = Http2CodecUtil.connectionPrefaceBuf();

  private final Runnable http2;

  /**
   * Creates the handler.
   *
   * @param http2 replaces the handlers after this one by the handlers of HTTP/2
   */
  Http2Preface(Runnable http2) {
    this.http2 = http2;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    int known = Math.min(in.readableBytes(), PREFACE.readableBytes());
    if (!ByteBufUtil.equals(in, in.readerIndex(), PREFACE, PREFACE.readerIndex(), known)) {
      ctx.pipeline().remove(this);
    } else if (known == PREFACE.readableBytes()) {
      http2.run();
      ctx.pipeline().remove(this);
    }
  }
}
