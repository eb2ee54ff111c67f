package dev.repartee.netty;

import static dev.repartee.transport.http.HttpResponse.UNSENT;

import dev.repartee.transport.http.server.ResponseFormat;
import dev.repartee.transport.http.server.WholeResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Map;

/** Makes HTTP responses. */
final class HttpAnswers {
  private HttpAnswers() {}

  /**
   * Returns a complete response in the form of Netty.
   *
   * @param isHead whether to leave out the body, because the request is HEAD
   */
  static FullHttpResponse of(WholeResponse whole, boolean isHead) {
    ByteBuf body =
        isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(whole.body(), 0, whole.size());
    FullHttpResponse response = new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(whole.status()), body);
    HttpHeaders headers = response.headers();
    if (!whole.type().isEmpty()) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, whole.type());
    }
    int length = whole.contentLength(isHead);
    if (length >= 0) {
      headers.setInt(HttpHeaderNames.CONTENT_LENGTH, length);
    }
    whole.headers().forEach(headers::set);
    if (!whole.challenges().isEmpty()) {
      headers.add(HttpHeaderNames.WWW_AUTHENTICATE, whole.challenges());
    }
    return response;
  }

  /** Returns the head of a response with server-sent events. */
  static HttpResponse events(Map<String, String> headers) {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    headers.forEach(response.headers()::set);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return response;
  }

  /** Returns the response that ends a connection on which no request was read. */
  static FullHttpResponse farewell() {
    FullHttpResponse response = new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.REQUEST_TIMEOUT, Unpooled.EMPTY_BUFFER);
    response
        .headers()
        .setInt(HttpHeaderNames.CONTENT_LENGTH, 0)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
        .set(UNSENT, "1");
    return response;
  }

  /** Adds the fields that every response to this request has. */
  static void complete(HttpResponse response, ResponseFormat format, boolean keepAlive) {
    HttpHeaders headers = response.headers();
    HttpUtil.setKeepAlive(
        headers, format.http10() ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1, keepAlive);
    if (format.origin() != null) {
      headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, format.origin());
      headers.add(HttpHeaderNames.VARY, HttpHeaderNames.ORIGIN);
    }
  }
}
