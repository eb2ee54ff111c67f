package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/** Finds the requests in the bytes of a connection, and knows whether it stands between two. */
final class RequestDecoder extends HttpRequestDecoder {
  private boolean between;

  /** What is at most {@code headerBytes} long is each the request line and the header. */
  RequestDecoder(int headerBytes) {
    super(
        new HttpDecoderConfig().setMaxInitialLineLength(headerBytes).setMaxHeaderSize(headerBytes));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    int bytes = in.readableBytes();
    int messages = out.size();
    super.decode(ctx, in, out);
    if (out.size() > messages && out.get(out.size() - 1) instanceof LastHttpContent) {
      between = true;
    } else if (in.readableBytes() < bytes) {
      between = false;
    }
  }

  /** Whether the client has to say more first: a request, its first one included, is not complete. */
  boolean isOwed() {
    return !between || actualReadableBytes() > 0;
  }
}
