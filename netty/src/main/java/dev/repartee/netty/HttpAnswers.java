package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Dialect;
import dev.repartee.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** What an exchange becomes on the wire. */
final class HttpAnswers {
  private HttpAnswers() {}

  static FullHttpResponse of(HttpExchange x, Dialect dialect) {
    Refusal refusal = x.refusal();
    Output reply = x.reply();
    FullHttpResponse response;
    if (refusal != null) {
      response = refusal(refusal);
    } else if (reply == null) {
      response = response(dialect.httpNotificationStatus(), "", Unpooled.EMPTY_BUFFER);
    } else {
      ByteBuf body = Unpooled.wrappedBuffer(reply.array(), 0, reply.size());
      response = response(dialect.httpStatus(reply.error()), "application/json", body);
    }
    HttpHeaders headers = response.headers();
    HttpUtil.setKeepAlive(
        headers, x.oldVersion ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1, x.keepAlive);
    if (x.origin != null) {
      headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, x.origin);
      headers.set(HttpHeaderNames.VARY, HttpHeaderNames.ORIGIN);
    }
    return response;
  }

  private static FullHttpResponse refusal(Refusal refusal) {
    ByteBuf text = refusal.text().isEmpty()
        ? Unpooled.EMPTY_BUFFER
        : Unpooled.copiedBuffer(refusal.text() + "\n", UTF_8);
    FullHttpResponse response =
        response(refusal.status().code(), "text/plain; charset=utf-8", text);
    refusal.headers().forEach(response.headers()::set);
    return response;
  }

  private static FullHttpResponse response(int status, String type, ByteBuf body) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), body);
    if (body.isReadable()) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    }
    if (status != HttpResponseStatus.NO_CONTENT.code()) {
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    return response;
  }
}
