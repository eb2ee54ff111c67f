package dev.repartee.servlet;

import dev.repartee.transport.http.server.RequestHead;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request in a container.
 *
 * @param request the request, whose body is not used
 */
record ServletHead(HttpServletRequest request) implements RequestHead {
  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public boolean isHttp10() {
    return request.getProtocol().equals("HTTP/1.0");
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  @Override
  public List<String> headers(String name) {
    List<String> values = Collections.list(request.getHeaders(name));
    // Under HTTP/2 it is the field :authority, which some containers show only in parts.
    return values.isEmpty() && name.equalsIgnoreCase("host") && isHttp2()
        ? List.of(request.getServerName() + ":" + request.getServerPort())
        : values;
  }

  private boolean isHttp2() {
    return request.getProtocol().startsWith("HTTP/2");
  }

  @Override
  public long contentLength() {
    return request.getContentLengthLong();
  }
}
