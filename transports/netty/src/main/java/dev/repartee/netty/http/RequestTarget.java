package dev.repartee.netty.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;

/** The target in the first line of an HTTP/1.1 request (RFC 9112, section 3.2). */
public final class RequestTarget {
  private static final String[] SCHEMES = {"http://", "https://"};

  private RequestTarget() {}

  /**
   * Rewrites a target in absolute form ({@code POST http://host/path}), as clients send it to a
   * proxy, into a path. Its host replaces the host in the Host header, as section 3.2.2 requires:
   * checks of the Host header must see the same host. A request without a Host header, or with
   * several, keeps them, because it is refused.
   */
  public static void useOriginForm(HttpRequest request) {
    String target = request.uri();
    for (String scheme : SCHEMES) {
      if (target.regionMatches(true, 0, scheme, 0, scheme.length())) {
        int end = endOfAuthority(target, scheme.length());
        HttpHeaders headers = request.headers();
        if (headers.getAll(HttpHeaderNames.HOST).size() == 1) {
          headers.set(HttpHeaderNames.HOST, target.substring(scheme.length(), end));
        }
        String path = target.substring(end);
        request.setUri(path.startsWith("/") ? path : "/" + path);
        return;
      }
    }
  }

  private static int endOfAuthority(String target, int from) {
    int end = from;
    while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
      end++;
    }
    return end;
  }
}
