package dev.repartee.transport.http.server;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form of response that a client accepts, from the header of its request.
 *
 * @param head whether the response has no body (RFC 9110 section 9.3.2)
 * @param http10 whether the client speaks HTTP/1.0
 * @param origin the origin whose pages may read the response, or null
 * @param gzip whether the response may be compressed
 * @param events whether progress and reply may be sent as server-sent events
 * @param json whether the reply may be sent as a JSON text
 */
public record ResponseFormat(
    boolean head,
    boolean http10,
    @Nullable String origin,
    boolean gzip,
    boolean events,
    boolean json) {
  /** The form for a request that has not arrived. */
  public static final ResponseFormat UNKNOWN = undecoded(false);

  /**
   * Returns the form for a request whose head cannot be decoded.
   *
   * @param head whether the method is HEAD
   */
  public static ResponseFormat undecoded(boolean head) {
    return new ResponseFormat(head, false, null, false, false, true);
  }

  /** Returns the header fields of a service, which pages of a listed origin may read too. */
  Map<String, String> exposed(Map<String, String> headers) {
    if (origin == null || headers.isEmpty()) {
      return headers;
    }
    Map<String, String> all = new LinkedHashMap<>(headers);
    String names = String.join(", ", headers.keySet());
    all.merge("access-control-expose-headers", names, (own, more) -> own + ", " + more);
    return all;
  }

  /** Reads the form from the header of a request. */
  public static ResponseFormat of(RequestHead request, RequestPolicy policy) {
    QualityValues encodings = QualityValues.of(request, "accept-encoding");
    double gzip = encodings.of("gzip", "x-gzip", "*");
    QualityValues types = QualityValues.of(request, "accept");
    boolean events = !request.isHttp10() && types.of("text/event-stream") > 0;
    return new ResponseFormat(
        request.method().equals("HEAD"),
        request.isHttp10(),
        policy.listedOrigin(request),
        gzip > 0 && gzip >= encodings.of("identity"),
        events,
        !events || types.of("application/json", "application/*", "*/*") > 0);
  }
}
