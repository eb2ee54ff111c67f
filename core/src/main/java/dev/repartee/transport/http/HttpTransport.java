package dev.repartee.transport.http;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A transport over HTTP. Its endpoints can serve several paths: {@link #listen} asks an {@link
 * HttpAcceptor} for them. It also sends single requests. Thread-safe.
 */
public interface HttpTransport extends Transport {
  /**
   * Returns a sender of single HTTP requests to the server of an endpoint; null if the scheme of
   * the endpoint is one of WebSocket. Opens no connection.
   *
   * @throws IllegalArgumentException if the endpoint is malformed
   * @throws IOException if a file that the options name cannot be used
   */
  @Nullable HttpSender sender(Endpoint endpoint, Limits limits) throws IOException;
}
