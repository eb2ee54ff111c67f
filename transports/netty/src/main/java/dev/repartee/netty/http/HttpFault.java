package dev.repartee.netty.http;

import static dev.repartee.transport.http.HttpResponse.UNSENT;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpException;
import dev.repartee.internal.Printable;
import dev.repartee.internal.UriReference;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import java.net.URI;

/** Describes a response that is not the expected one, for error messages. */
public final class HttpFault {
  /** The maximum number of bytes of the response body that a message shows. */
  public static final int TOLD = 200;

  private HttpFault() {}

  /** Returns the exception for a response, with a message about it. */
  public static HttpException of(HttpResponse head, String message) {
    return new HttpException(
        message,
        head.status().code(),
        head.headers().get(HttpHeaderNames.CONTENT_TYPE),
        head.headers().get(HttpHeaderNames.RETRY_AFTER),
        head.headers().get(UNSENT));
  }

  /** Returns the status, with a remedy where one is known. */
  public static String status(HttpResponse head, HttpAddress server) {
    HttpResponseStatus status = head.status();
    String location = head.headers().get(HttpHeaderNames.LOCATION);
    String said = "HTTP status " + status.code();
    if (status.codeClass() == HttpStatusClass.REDIRECTION && location != null) {
      return said + ", a redirect to " + Printable.text(resolved(location, server))
          + ", which is not followed; use that URI";
    }
    if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
      return said + ", it may need a header Authorization";
    }
    if (status.equals(HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED)) {
      return said + ", a proxy on the way needs a user and a password;"
          + " #proxy=http://USER:PASSWORD@HOST:PORT names it";
    }
    String wait = head.headers().get(HttpHeaderNames.RETRY_AFTER);
    return wait == null ? said : said + ", Retry-After: " + cut(wait);
  }

  /**
   * Returns the status with which a proxy has refused to pass something on, with a remedy where one
   * is known.
   *
   * @param what the refused thing, such as {@code "a tunnel"}
   */
  public static String refused(Proxy proxy, String what, HttpResponseStatus status) {
    String remedy = status.equals(HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED)
        ? "; it needs a user and a password: #proxy=http://USER:PASSWORD@" + proxy
        : "";
    return "the proxy " + proxy + " refused " + what + " with HTTP status " + status.code()
        + remedy;
  }

  private static String resolved(String location, HttpAddress server) {
    try {
      String base = (server.isSecure() ? "https://" : "http://") + server.hostHeader();
      return UriReference.resolve(URI.create(base + server.path()), location).toString();
    } catch (IllegalArgumentException e) {
      return location;
    }
  }

  /**
   * Returns the content type and the beginning of a body as the end of a message; an empty string
   * if there is no body, or if it only repeats a redirect.
   */
  public static String told(HttpResponse head, byte[] body, int to) {
    String type = head.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
    int parameters = type.indexOf(';');
    type = (parameters < 0 ? type : type.substring(0, parameters)).strip();
    String told = told(body, 0, to);
    return told.isEmpty() || head.status().codeClass() == HttpStatusClass.REDIRECTION
        ? ""
        : (type.isBlank() ? "" : "; " + cut(type)) + told;
  }

  /** Returns the beginning of a text as the end of a message, or an empty string. */
  public static String told(byte[] bytes, int from, int to) {
    String text = new String(bytes, from, Math.min(TOLD, to - from), UTF_8);
    return text.isBlank() ? "" : ": " + Printable.text(text.strip());
  }

  private static String cut(String header) {
    return Printable.text(header.length() > TOLD ? header.substring(0, TOLD) : header);
  }
}
