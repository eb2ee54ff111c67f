package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;

/**
 * Looks whether a client starts with the preface of HTTP/2 (RFC 9113 section 3.4): it knows by other
 * means that we speak it. What came goes on to whoever is next.
 */
final class Http2Preface extends ByteToMessageDecoder {
  private static final ByteBuf PREFACE = Http2CodecUtil.connectionPrefaceBuf();

  private final Runnable http2;

  /** {@code http2} has the next handlers replaced by those of HTTP/2. */
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
