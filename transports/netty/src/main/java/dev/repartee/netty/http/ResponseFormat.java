package dev.repartee.netty.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
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

  private static ResponseFormat undecoded(boolean head) {
    return new ResponseFormat(head, false, null, false, false, true);
  }

  /**
   * Reads the form from the header of a request. From a header that cannot be decoded, only HEAD is
   * used.
   */
  public static ResponseFormat of(HttpRequest request, RequestPolicy policy) {
    boolean head = request.method().equals(HttpMethod.HEAD);
    if (request.decoderResult().isFailure()) {
      return undecoded(head);
    }
    boolean http10 = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    QualityValues encodings = QualityValues.of(request.headers(), HttpHeaderNames.ACCEPT_ENCODING);
    double gzip = encodings.of("gzip", "x-gzip", "*");
    QualityValues types = QualityValues.of(request.headers(), HttpHeaderNames.ACCEPT);
    boolean events = !http10 && types.of("text/event-stream") > 0;
    return new ResponseFormat(
        head,
        http10,
        policy.listedOrigin(request),
        gzip > 0 && gzip >= encodings.of("identity"),
        events,
        !events || types.of("application/json", "application/*", "*/*") > 0);
  }
}
