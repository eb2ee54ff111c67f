package dev.repartee.netty;

import dev.repartee.transport.FrameService;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.server.ResponseFormat;
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
  /** Responses of at least this many bytes are compressed, if the client accepts it. */
  private static final int COMPRESSED = 1 << 10;

  private HttpAnswers() {}

  /** Returns the response with a JSON-RPC reply. */
  static FullHttpResponse reply(
      OutboundFrame message, FrameService service, ResponseFormat format) {
    boolean gzip = format.gzip() && message.size() >= COMPRESSED;
    ByteBuf body = gzip
        ? Gzip.compressed(message.array(), message.size())
        : Unpooled.wrappedBuffer(message.array(), 0, message.size());
    FullHttpResponse response =
        response(service.httpStatus(message.errorCode()), "application/json", body);
    markCompression(response, gzip, message.size());
    return response;
  }

  /** Returns the response of an HTTP service. */
  static FullHttpResponse whole(
      int status, Map<String, String> headers, byte[] body, ResponseFormat format) {
    boolean gzip = format.gzip() && body.length >= COMPRESSED;
    FullHttpResponse response = response(
        status,
        "application/json",
        gzip ? Gzip.compressed(body, body.length) : Unpooled.wrappedBuffer(body));
    markCompression(response, gzip, body.length);
    addTo(response, headers, format);
    return response;
  }

  /** Adds the header fields of a service. Pages of a listed origin may read them too. */
  static void addTo(HttpResponse response, Map<String, String> headers, ResponseFormat format) {
    headers.forEach(response.headers()::set);
    if (format.origin() != null && !headers.isEmpty()) {
      response
          .headers()
          .add(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", headers.keySet()));
    }
  }

  private static void markCompression(FullHttpResponse response, boolean gzip, int size) {
    if (gzip) {
      response.headers().set(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.GZIP);
    }
    if (size >= COMPRESSED) {
      response.headers().set(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
    }
  }

  /** Returns the response to a request without a reply, such as a notification. */
  static FullHttpResponse nothing(FrameService service) {
    return response(service.httpNotificationStatus(), "", Unpooled.EMPTY_BUFFER);
  }

  /** Returns a complete response. */
  static FullHttpResponse of(dev.repartee.transport.http.HttpResponse whole) {
    FullHttpResponse response = response(whole.status(), "", Unpooled.wrappedBuffer(whole.body()));
    whole.headers().fields().forEach(response.headers()::set);
    return response;
  }

  /**
   * Returns the response to HEAD that corresponds to this response to GET. It keeps the length of
   * the body (RFC 9110 section 8.6). Without a body the length for GET is not known: a filter may
   * have left the body out.
   */
  static FullHttpResponse withoutBody(FullHttpResponse whole) {
    FullHttpResponse head = whole.replace(Unpooled.EMPTY_BUFFER);
    if (!whole.content().isReadable()) {
      head.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
    }
    whole.release();
    return head;
  }

  /** Returns the head of a response with server-sent events. */
  static HttpResponse events() {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_EVENT_STREAM)
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set("x-accel-buffering", "no") // otherwise nginx would buffer the events
        .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return response;
  }

  private static FullHttpResponse response(int status, String type, ByteBuf body) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), body);
    if (body.isReadable() && !type.isEmpty()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    }
    if (status != HttpResponseStatus.NO_CONTENT.code()) {
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
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
