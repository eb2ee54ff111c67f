package dev.repartee.transport.http;

import dev.repartee.transport.Transport;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of the connections and requests of an HTTP endpoint. Beside connections (WebSockets)
 * and frames (a POST with a message), it can receive whole HTTP requests. Thread-safe.
 */
@FunctionalInterface
public interface HttpAcceptor extends Transport.Acceptor {
  /** Returns an acceptor itself, or one that forwards to it if it knows nothing of HTTP. */
  static HttpAcceptor of(Transport.Acceptor acceptor) {
    return acceptor instanceof HttpAcceptor http ? http : new ForwardingAcceptor(acceptor);
  }

  /**
   * Returns the handler of HTTP requests that replaces {@link #responder()}; null if a POST is
   * simply a frame. A transport calls this once.
   *
   * @param path the path of the endpoint
   */
  default @Nullable HttpService http(String path) {
    return null;
  }

  /**
   * Returns the acceptors of the paths of the endpoint; null if this acceptor serves the one path
   * of the endpoint. A transport calls this once.
   */
  default @Nullable Map<String, HttpAcceptor> paths() {
    return null;
  }

  /**
   * Returns the gate of the path; null, the default, if everybody is admitted. A transport calls
   * this once.
   */
  default @Nullable HttpGate gate() {
    return null;
  }

  /**
   * Returns the function that may answer HTTP requests before they are served, and returns null for
   * all others; null if there is none. A transport calls this once. The function does not block,
   * and throws nothing.
   */
  default @Nullable Function<HttpRequest, @Nullable HttpResponse> filter() {
    return null;
  }
}
