package dev.repartee;

import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP requests before they are served: with pages beside JSON-RPC, or with a refusal of
 * requests and WebSocket handshakes. {@link HttpRoutes.Builder#filter} adds it.
 *
 * <p>The transport has checked {@code Host} and {@code Origin} before, and answers CORS preflights
 * itself. The body is not read yet; if the filter answers a request with a body, the connection
 * ends with the response. Implementations must be thread-safe. A filter that throws is answered
 * with status 500, and the {@link Listener} of the endpoint is notified.
 */
@FunctionalInterface
public interface HttpFilter {
  /**
   * Returns the response to a request, or null to have the request served. Runs on a thread that
   * reads connections, and must not block; a check that has to wait belongs in a {@link Layer}.
   *
   * @param request the request, without its body; for a WebSocket handshake a GET with the header
   *     {@code Upgrade: websocket}
   */
  @Nullable HttpResponse filter(HttpRequest request);
}
