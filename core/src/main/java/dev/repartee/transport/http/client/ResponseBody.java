package dev.repartee.transport.http.client;

import dev.repartee.transport.http.client.ResponseReader.Head;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The body of an answer (RFC 9112 section 6). Used by one thread. */
final class ResponseBody {
  private enum Framing {
    LENGTH,
    CHUNKS,
    /** To the end of the connection. */
    REST
  }

  private final ResponseReader in;
  private final Framing framing;

  /** The bytes that are left of the body, or of the chunk. */
  private long left;

  private boolean isFirst = true;
  private boolean isOver;

  private ResponseBody(ResponseReader in, Framing framing, long length) {
    this.in = in;
    this.framing = framing;
    this.left = length;
    this.isOver = framing == Framing.LENGTH && length == 0;
  }

  /** Returns the unread body of an answer. */
  static ResponseBody of(String method, Head head, ResponseReader in) throws IOException {
    int status = head.statusCode();
    List<String> codings = head.headers().allValues("transfer-encoding");
    List<String> lengths = head.headers().allValues("content-length");
    if (method.equals("HEAD") || status == 204 || status == 304) {
      return new ResponseBody(in, Framing.LENGTH, 0);
    } else if (!codings.isEmpty()) {
      // Both fields may be an attack on a shared connection (RFC 9112 section 6.3).
      if (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked") || !lengths.isEmpty()) {
        throw new ProtocolException("the transfer coding of the answer is not supported");
      }
      return new ResponseBody(in, Framing.CHUNKS, 0);
    } else if (lengths.isEmpty()) {
      return new ResponseBody(in, Framing.REST, Long.MAX_VALUE);
    }
    if (lengths.stream().distinct().count() > 1 || !lengths.get(0).matches("[0-9]{1,18}")) {
      throw new ProtocolException("the length of the answer is not valid");
    }
    return new ResponseBody(in, Framing.LENGTH, Long.parseLong(lengths.get(0)));
  }

  /** Returns whether the end is known; otherwise {@link #read} may still return null. */
  boolean isOver() {
    return isOver;
  }

  /** Returns whether the connection can be used again after the body. */
  boolean isDelimited() {
    return framing != Framing.REST;
  }

  /** Returns the next bytes, as they arrive; null at the end. */
  byte @Nullable [] read() throws IOException {
    if (!isOver && framing == Framing.CHUNKS && left == 0) {
      left = in.chunk(isFirst);
      isFirst = false;
      isOver = left == 0;
    }
    if (isOver) {
      return null;
    }
    byte[] some = in.some(left);
    if (some == null) {
      if (framing != Framing.REST) {
        throw new EOFException("the connection was closed before the end of the answer");
      }
      isOver = true;
      return null;
    }
    left -= some.length;
    isOver = framing == Framing.LENGTH && left == 0;
    return some;
  }
}
