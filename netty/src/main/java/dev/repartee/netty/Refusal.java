package dev.repartee.netty;

import dev.repartee.HeldBytes;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;

/**
 * Why a request is not served.
 *
 * @param status the HTTP status
 * @param text a sentence for whoever sent it
 * @param headers what else the answer tells
 */
record Refusal(HttpResponseStatus status, String text, Map<String, String> headers) {
  Refusal(HttpResponseStatus status, String text) {
    this(status, text, Map.of());
  }

  /** Of what there is no room for. */
  static Refusal crowded() {
    return new Refusal(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        "All connections together hold as much as they may, the limit heldBytes of "
            + HeldBytes.ofProcess().max() + " bytes; try again later.");
  }

  /** The same where an answer has no body. */
  Refusal withoutText() {
    return new Refusal(status, "", headers);
  }
}
