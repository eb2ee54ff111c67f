package dev.repartee.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Finds the requests in the bytes of a connection, and knows whether it stands between two.
 *
 * <p>A header line that goes on in the next line is a fault here (RFC 9112 section 5.2). The decoder of
 * Netty joins the lines, others do not, and a Transfer-Encoding may stand in the second one.
 */
final class RequestDecoder extends HttpRequestDecoder {
  private boolean between;

  /** Whether the request line and the header are next; otherwise a body is. */
  private boolean inHeader = true;

  private boolean lineEnded;
  private boolean folded;

  /** What is at most {@code headerBytes} long is each the request line and the header. */
  RequestDecoder(int headerBytes) {
    super(
        new HttpDecoderConfig().setMaxInitialLineLength(headerBytes).setMaxHeaderSize(headerBytes));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    int bytes = in.readableBytes();
    int messages = out.size();
    int begin = in.readerIndex();
    boolean header = inHeader;
    super.decode(ctx, in, out);
    if (header) {
      lookForFolds(in, begin);
    }
    for (int i = messages; i < out.size(); i++) {
      Object message = out.get(i);
      inHeader = message instanceof LastHttpContent;
      if (folded && message instanceof HttpRequest request) {
        request.setDecoderResult(
            DecoderResult.failure(new IllegalArgumentException("a header line is folded")));
      }
    }
    if (out.size() > messages && out.get(out.size() - 1) instanceof LastHttpContent) {
      between = true;
    } else if (in.readableBytes() < bytes) {
      between = false;
    }
  }

  /** Takes the bytes that are not decoded yet: they belong to another protocol. */
  ByteBuf takeRest() {
    ByteBuf rest = internalBuffer();
    return rest.readBytes(rest.readableBytes());
  }

  /** Goes over the lines that were decoded. The decoder returns between a header and its body. */
  private void lookForFolds(ByteBuf in, int begin) {
    int at = begin;
    while (at < in.readerIndex()) {
      byte first = in.getByte(at);
      folded |= lineEnded && (first == ' ' || first == '\t');
      int end = in.indexOf(at, in.readerIndex(), (byte) '\n');
      lineEnded = end >= 0;
      at = end < 0 ? in.readerIndex() : end + 1;
    }
  }

  /** Whether the client has to say more first: a request, its first one included, is not complete. */
  boolean isOwed() {
    return !between || actualReadableBytes() > 0;
  }
}
