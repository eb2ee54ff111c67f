package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Knows whether an HTTP/2 connection stands between two frames, or amid one or a header block, which
 * nobody else sees and whose rest must come in time.
 */
final class Http2Boundaries extends ChannelInboundHandlerAdapter {
  private static final int HEADER = 9;

  private final TimeWatch watch;
  private int rest = Http2CodecUtil.connectionPrefaceBuf().readableBytes();
  private int header = HEADER;
  private int length;
  private int type;
  private boolean block;

  Http2Boundaries(TimeWatch watch) {
    this.watch = watch;
  }

  /** Whether more has to come. */
  boolean isAmid() {
    return rest > 0 || header > 0 && header < HEADER || block;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      look(bytes);
    }
    ctx.fireChannelRead(message);
  }

  /** Goes over the bytes: of a payload {@code rest} are missing, of the header before it {@code header}. */
  private void look(ByteBuf bytes) {
    int at = bytes.readerIndex();
    while (at < bytes.writerIndex()) {
      if (rest > 0) {
        int step = Math.min(rest, bytes.writerIndex() - at);
        rest -= step;
        at += step;
      } else {
        header(bytes.getUnsignedByte(at++));
      }
      if (rest == 0 && header == HEADER && !block) {
        watch.complete();
      }
    }
  }

  private void header(int octet) {
    switch (HEADER - header) {
      case 0, 1, 2 -> length = (length << 8 | octet) & 0xFFFFFF;
      case 3 -> type = octet;
      case 4 -> {
        if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
          block = (octet & Http2Flags.END_HEADERS) == 0;
        }
      }
      default -> {} // the stream
    }
    header--;
    if (header == 0) {
      header = HEADER;
      rest = length;
    }
  }
}
