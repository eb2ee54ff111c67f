package dev.repartee.transport.http.server;

import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A complete response in the form in which it is sent: its body may be compressed. The server adds
 * the fields that delimit the body, and {@code Access-Control-Allow-Origin} with {@code Vary} if
 * the {@linkplain ResponseFormat#origin origin} may read it.
 *
 * @param status the HTTP status
 * @param type the content type if {@code headers} has none; empty for none
 * @param headers the other header fields, in the order to set them: a later one replaces an earlier
 *     one whose name differs only in case
 * @param challenges the values of {@code WWW-Authenticate} fields to add
 * @param body the array with the content from its start
 * @param size the number of bytes of the content
 */
public record WholeResponse(
    int status,
    String type,
    Map<String, String> headers,
    List<String> challenges,
    byte[] body,
    int size) {
  /** Responses of at least this many bytes are compressed, if the client accepts it. */
  private static final int COMPRESSED = 1 << 10;

  private static final String JSON = "application/json";
  private static final byte[] NO_BODY = {};
  /** For a client that does not know when to try again. */
  private static final Headers RETRY = Headers.NONE.with("retry-after", "1");

  private static final Headers VARIES = Headers.NONE.with("vary", "accept-encoding");
  private static final Headers GZIP =
      Headers.NONE.with("content-encoding", "gzip").with(VARIES);

  /**
   * Creates a response. If its status asks for another attempt (429 and 503), it has a field {@code
   * Retry-After}: one second, unless {@code headers} has another time.
   */
  public WholeResponse {
    headers = retrying(status, headers);
  }

  private static Map<String, String> retrying(int status, Map<String, String> headers) {
    boolean asks = status == 429 || status == 503;
    return asks && headers.keySet().stream().noneMatch("retry-after"::equalsIgnoreCase)
        ? joined(RETRY, headers)
        : headers;
  }

  /** Returns the response with a JSON-RPC reply. */
  static WholeResponse reply(
      OutboundFrame message, int status, Map<String, String> headers, ResponseFormat format) {
    return of(status, headers, message.array(), message.size(), format);
  }

  /** Returns the response of an HTTP service. */
  static WholeResponse of(
      int status, Map<String, String> headers, byte[] body, ResponseFormat format) {
    return of(status, headers, body, body.length, format);
  }

  private static WholeResponse of(
      int status, Map<String, String> headers, byte[] body, int size, ResponseFormat format) {
    Map<String, String> exposed = format.exposed(retrying(status, headers));
    if (size < COMPRESSED) {
      return new WholeResponse(status, size == 0 ? "" : JSON, exposed, List.of(), body, size);
    }
    if (!format.gzip()) {
      return new WholeResponse(status, JSON, joined(VARIES, exposed), List.of(), body, size);
    }
    Gzipped gzipped = Gzipped.of(body, size);
    return new WholeResponse(
        status, JSON, joined(GZIP, exposed), List.of(), gzipped.array(), gzipped.size());
  }

  private static Map<String, String> joined(Headers first, Map<String, String> then) {
    if (then.isEmpty()) {
      return first.fields();
    }
    Map<String, String> all = new LinkedHashMap<>(first.fields());
    all.putAll(then);
    return all;
  }

  /** Returns the response to a request without a reply, such as a notification. */
  static WholeResponse nothing(int status, Map<String, String> headers, ResponseFormat format) {
    return of(status, headers, NO_BODY, format);
  }

  /** Returns a response that does not depend on the format that the client accepts. */
  public static WholeResponse of(HttpResponse response) {
    return new WholeResponse(
        response.status(),
        "",
        response.headers().fields(),
        response.challenges(),
        response.body(),
        response.body().length);
  }

  /**
   * Returns the value of {@code Content-Length}; negative if the response has no such field. The
   * response to HEAD keeps the length of the body for GET (RFC 9110 section 8.6). Without a body
   * that length is not known: a filter may have left the body out.
   *
   * @param head whether the request is HEAD
   */
  public int contentLength(boolean head) {
    return status == 204 || head && size == 0 ? -1 : size;
  }
}
