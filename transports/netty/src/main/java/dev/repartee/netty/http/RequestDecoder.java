package dev.repartee.netty.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.internal.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Decodes HTTP requests, and tracks whether the input is between two of them.
 *
 * <p>A folded header line, which continues in the next line, is an error here (RFC 9112 section
 * 5.2). Netty's decoder joins the lines, other servers do not, and the second line may contain a
 * Transfer-Encoding. The two would find different ends of the request (request smuggling).
 */
public final class RequestDecoder extends HttpRequestDecoder {
  /** The length from which on it is faster to copy a value than to check its characters singly. */
  private static final int LONG = 64;

  private static final char DELETE = 0x7F;

  private static final DefaultHttpHeadersFactory NETTY = DefaultHttpHeadersFactory.headersFactory();
  private static final HttpHeadersFactory FIELDS =
      NETTY.withValueValidator(RequestDecoder::requireValue);

  /** True if a request has ended and no byte of the next one is decoded. */
  private boolean between;

  /** True if a request line or header is next, false if a body is. */
  private boolean inHeader = true;

  /** True if the last decoded byte ended a line. */
  private boolean lineEnded;

  /** True after a folded line was seen. */
  private boolean folded;

  /**
   * Creates a decoder.
   *
   * @param headerBytes the maximum number of bytes of the request line, and of the header
   */
  public RequestDecoder(int headerBytes) {
    super(new HttpDecoderConfig()
        .setMaxInitialLineLength(headerBytes)
        .setMaxHeaderSize(headerBytes)
        .setHeadersFactory(FIELDS));
  }

  /**
   * Checks a value as Netty does, but a long one, such as a signed token, eight characters at a
   * time.
   *
   * @throws IllegalArgumentException if it has a control character
   */
  private static void requireValue(CharSequence value) {
    if (value.length() < LONG || !isPlain(value.toString().getBytes(ISO_8859_1))) {
      NETTY.getValueValidator().validate(value);
    }
  }

  /** Returns whether a value has neither control characters nor a space at its begin. */
  private static boolean isPlain(byte[] value) {
    int end = value.length;
    return value[0] != ' '
        && Bytes.findControl(value, 0, end) == end
        && Bytes.find(value, 0, end, DELETE) == end;
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

  /**
   * Removes the bytes that are not decoded yet and returns them: they belong to another protocol.
   */
  public ByteBuf takeRest() {
    ByteBuf rest = internalBuffer();
    return rest.readBytes(rest.readableBytes());
  }

  /**
   * Searches the lines that were just decoded. The decoder returns between a header and its body;
   * the lines therefore all belong to a header.
   */
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

  /** Returns whether the client must send more: its first request, or the rest of one. */
  public boolean isOwed() {
    return !between || actualReadableBytes() > 0;
  }
}
