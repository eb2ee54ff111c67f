package dev.repartee.mcp.auth;

import dev.repartee.transport.Headers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sends the same headers with each request.
 *
 * @param headers the headers
 */
record FixedToken(Headers headers) implements HttpAuthorization {
  @Override
  public CompletionStage<Headers> headers(Request request) {
    return CompletableFuture.completedStage(headers);
  }

  @Override
  public CompletionStage<Boolean> refused(Refusal refusal) {
    return CompletableFuture.completedStage(false);
  }
}
