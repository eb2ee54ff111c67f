package dev.repartee.transport.http;

import java.util.Set;

/**
 * Serves the HTTP requests of an endpoint: for protocols that use more of HTTP than one message in
 * a POST and one in its response, such as sessions, or streams of events that outlive a request.
 *
 * <p>Before it calls the service, the transport has checked {@code Host} and {@code Origin}, and
 * has read and decompressed the complete body within the limits. The service checks the path, the
 * method and all other headers. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface HttpService {
  /**
   * Serves one request. Runs on a thread that reads connections, and must not block. The response
   * may be sent later, by any thread.
   */
  void serve(HttpRequest request, HttpReply reply);

  /**
   * Returns further paths that this service handles in addition to its own, such as a path below
   * {@code /.well-known/}, which needs no authentication. Empty by default.
   */
  default Set<String> furtherPaths() {
    return Set.of();
  }
}
