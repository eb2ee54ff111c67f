package dev.repartee.netty.http;

import dev.repartee.transport.http.HttpResponse;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/** Makes the responses to input that cannot be read as a request. */
public final class RequestFault {
  private RequestFault() {}

  /** Returns the response to input that is not a request. No input after it can be read. */
  public static HttpResponse malformed(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return HttpResponse.text(431, "The header is too large.");
    }
    if (cause instanceof TooLongHttpLineException || cause instanceof TooLongFrameException) {
      return HttpResponse.text(414, "The request line is too long.");
    }
    return HttpResponse.text(400, "This is not an HTTP request.");
  }

  /**
   * Returns the response to an unknown version of HTTP, and to an unknown transfer coding; null for
   * all other requests. The end of such a request cannot be found; therefore the connection must
   * end with it.
   */
  public static @Nullable HttpResponse unsupported(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return HttpResponse.text(505, "The version of HTTP is 1.1 here, or 1.0.");
    }
    String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
    if (coding != null && !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding)) {
      return HttpResponse.text(501, "The Transfer-Encoding is chunked, or none.");
    }
    return null;
  }
}
