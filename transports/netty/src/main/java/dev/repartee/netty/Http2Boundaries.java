package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Tracks in the raw bytes whether an HTTP/2 connection is between two frames, or inside a frame or
 * header block. The codec reports only complete frames and header blocks, but the time limits
 * depend on whether the client must still send the rest of one.
 */
final class Http2Boundaries extends ChannelInboundHandlerAdapter {
  private static final int HEADER = 9;

  private final TimeLimitsHandler times;

  /** The number of missing bytes of the current payload; at first, of the connection preface. */
  private int rest = Http2CodecUtil.connectionPrefaceBuf().readableBytes();

  /** The number of missing bytes of the current frame header. */
  private int header = HEADER;

  private int length;
  private int type;

  /** True inside a header block, which ends with the flag END_HEADERS. */
  private boolean block;

  Http2Boundaries(TimeLimitsHandler times) {
    this.times = times;
  }

  /** Returns whether the client must continue a frame, a header block or the preface. */
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

  /** Walks through the bytes. Reports a complete message at each position between two frames. */
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
        times.completed();
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
      default -> {} // the stream id
    }
    header--;
    if (header == 0) {
      header = HEADER;
      rest = length;
    }
  }
}
