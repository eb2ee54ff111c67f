package dev.repartee.netty.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * The form of response that a client accepts, from the header of its request.
 *
 * @param http10 whether the client speaks HTTP/1.0
 * @param origin the origin whose pages may read the response, or null
 * @param gzip whether the response may be compressed
 * @param events whether progress and reply may be sent as server-sent events
 * @param json whether the reply may be sent as a JSON text
 */
public record ResponseFormat(
    boolean http10, @Nullable String origin, boolean gzip, boolean events, boolean json) {
  /** The form for a request that could not be decoded. */
  public static final ResponseFormat UNKNOWN = new ResponseFormat(false, null, false, false, true);

  /** Reads the form from the header of a request. */
  public static ResponseFormat of(HttpRequest request, RequestPolicy policy) {
    boolean http10 = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    QualityValues encodings = QualityValues.of(request.headers(), HttpHeaderNames.ACCEPT_ENCODING);
    double gzip = encodings.of("gzip", "x-gzip", "*");
    QualityValues types = QualityValues.of(request.headers(), HttpHeaderNames.ACCEPT);
    boolean events = !http10 && types.of("text/event-stream") > 0;
    return new ResponseFormat(
        http10,
        policy.listedOrigin(request),
        gzip > 0 && gzip >= encodings.of("identity"),
        events,
        !events || types.of("application/json", "application/*", "*/*") > 0);
  }
}
