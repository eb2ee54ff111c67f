package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import java.net.URI;

/** Says what a server meant that answered with a status and not with what was asked for. */
final class HttpFault {
  /** That many bytes of what it said are told. */
  static final int TOLD = 200;

  private HttpFault() {}

  /** The status, and what to do about it. */
  static String status(HttpResponse head, HttpAddress server) {
    HttpResponseStatus status = head.status();
    String location = head.headers().get(HttpHeaderNames.LOCATION);
    String said = "HTTP status " + status.code();
    if (status.codeClass() == HttpStatusClass.REDIRECTION && location != null) {
      return said + ", a redirect to " + Printable.text(resolved(location, server))
          + ", which is not followed; use that URI";
    }
    if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
      return said + ": it may need a header Authorization";
    }
    return said;
  }

  private static String resolved(String location, HttpAddress server) {
    try {
      String base = (server.isSecure() ? "https://" : "http://") + server.hostHeader();
      return URI.create(base + server.path()).resolve(location).toString();
    } catch (IllegalArgumentException e) {
      return location;
    }
  }

  /** The beginning of a text that came with it, for people. */
  static String told(MessageBytes body) {
    return told(body.bytes, 0, body.size);
  }

  /** The beginning of such a text. */
  static String told(byte[] bytes, int from, int to) {
    return told(new String(bytes, from, Math.min(TOLD, to - from), UTF_8));
  }

  private static String told(String text) {
    return text.isBlank() ? "" : ": " + Printable.text(text.strip());
  }
}
