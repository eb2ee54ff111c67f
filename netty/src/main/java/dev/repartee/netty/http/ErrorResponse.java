package dev.repartee.netty.http;

import dev.repartee.limits.MemoryBudget;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;

/**
 * The response to a request that is not served.
 *
 * @param status the HTTP status
 * @param text a sentence for the client; empty for no body
 * @param headers additional header fields of the response
 */
public record ErrorResponse(HttpResponseStatus status, String text, Map<String, String> headers) {
  /** Creates a response without additional header fields. */
  public ErrorResponse(HttpResponseStatus status, String text) {
    this(status, text, Map.of());
  }

  /** Returns the response if the memory budget of the process is exhausted. */
  public static ErrorResponse crowded() {
    return new ErrorResponse(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        "All connections together hold as much as they may, the limit heldBytes of "
            + MemoryBudget.ofProcess().max() + " bytes; try again later.");
  }

  /** Returns the same response without a body. */
  public ErrorResponse withoutText() {
    return new ErrorResponse(status, "", headers);
  }
}
