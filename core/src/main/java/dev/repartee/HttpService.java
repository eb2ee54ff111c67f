package dev.repartee;

/**
 * Serves the HTTP requests of an endpoint in a way of its own: for protocols that ask more of HTTP than
 * one message in a POST and one in its answer, such as sessions, or streams of events that outlive a
 * request. The transport has judged {@code Host} and {@code Origin} by then, read the whole body within
 * the limits and undone its compression; path, method and all other headers are the service's business.
 * Thread-safe.
 */
@FunctionalInterface
public interface HttpService {
  /**
   * Serves one request. Runs on a thread that reads connections, so it must not block; the reply may
   * be given by any thread, and later.
   */
  void serve(HttpRequest request, HttpReply reply);
}
