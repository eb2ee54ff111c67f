package dev.repartee.netty.http;

import dev.repartee.transport.http.server.RequestHead;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.ResponseFormat;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a decoded request.
 *
 * @param request the request in the form of Netty
 */
public record NettyHead(HttpRequest request) implements RequestHead {
  /** Returns the form of the response. From a head that cannot be decoded, only HEAD is used. */
  public ResponseFormat format(RequestPolicy policy) {
    return request.decoderResult().isFailure()
        ? ResponseFormat.undecoded(request.method().equals(HttpMethod.HEAD))
        : ResponseFormat.of(this, policy);
  }

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public boolean isHttp10() {
    return request.protocolVersion().equals(HttpVersion.HTTP_1_0);
  }

  @Override
  public @Nullable String header(String name) {
    return request.headers().get(name);
  }

  @Override
  public List<String> headers(String name) {
    return request.headers().getAll(name);
  }

  @Override
  public long contentLength() {
    return HttpUtil.getContentLength(request, 0L);
  }
}
