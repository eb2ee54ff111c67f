package dev.repartee.transport;

import dev.repartee.limits.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Opens and accepts connections for the URIs of some schemes. Implementations are found by {@link
 * java.util.ServiceLoader} (in a module: {@code provides dev.repartee.transport.Transport with
 * ...}). The transports that need only the JDK are built in and have precedence. Thread-safe.
 */
public interface Transport {
  /**
   * Returns the transport that serves the scheme of an endpoint.
   *
   * @throws IllegalArgumentException if no transport serves the scheme; the message lists the known
   *     schemes
   */
  static Transport of(Endpoint endpoint) {
    return Transports.of(endpoint);
  }

  /**
   * Connects to an endpoint with the transport of its scheme.
   *
   * @throws IllegalArgumentException if no transport serves the scheme, or if headers are given and
   *     the transport cannot send them
   * @throws IOException if {@link #connect} fails
   */
  static Channel open(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    Transport transport = of(endpoint);
    if (!headers.isEmpty() && !transport.hasHeaders()) {
      throw new IllegalArgumentException(endpoint.scheme() + ": has no place for the headers "
          + headers + "; http: and ws: have, or leave them out");
    }
    return transport.connect(endpoint, limits, headers);
  }

  /** Returns the schemes that this transport serves, in lower case, such as {@code tcp}. */
  Set<String> schemes();

  /**
   * Returns the option keys of this transport, without the keys that every transport has: {@code
   * envelope}, {@code framing} and {@code lenient}.
   */
  default Set<String> options() {
    return Set.of();
  }

  /** Returns whether connections of this transport can send headers. */
  default boolean hasHeaders() {
    return false;
  }

  /**
   * Returns whether a connection to an endpoint sends headers only when it opens, as a WebSocket
   * does in its handshake. Such a connection also has the headers that are supplied for messages.
   */
  default boolean hasHandshake(Endpoint endpoint) {
    return false;
  }

  /**
   * Connects to an endpoint. Callers use {@link #open}. Blocks until the connection is open, has
   * failed, or {@link Limits#connectTimeout} has passed.
   *
   * @param headers are sent when connecting, for example as headers of an HTTP request; empty if
   *     the transport {@linkplain #hasHeaders() has none}
   * @return the channel, not started yet
   * @throws IllegalArgumentException if the endpoint is malformed or has options with unknown
   *     values
   * @throws IOException if connecting fails; the message names the endpoint and a remedy
   */
  Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException;

  /**
   * Listens on an endpoint. The transport passes connections to {@code acceptor}; a transport that
   * carries only requests and their responses, such as HTTP, passes single frames.
   *
   * @throws IllegalArgumentException if the endpoint is malformed or has options with unknown
   *     values
   * @throws IOException if listening fails; the message names the endpoint and a remedy
   */
  Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException;

  /** The receiver of connections and frames of a listening endpoint. Thread-safe. */
  @FunctionalInterface
  interface Acceptor {
    /**
     * Accepts a connection, and starts its channel: before it returns, or, if an authenticator has
     * to decide first, later on any thread. A channel that is refused is aborted and never started.
     * Several reading threads may call this method in parallel; it must not block.
     */
    void accept(Channel channel);

    /**
     * Returns the service for frames that arrive without a connection; always the same object.
     *
     * @throws IllegalStateException if this acceptor accepts only connections
     */
    default FrameService responder() {
      throw new IllegalStateException("this service takes connections, not single frames");
    }

    /** Returns whether this acceptor accepts connections, such as WebSockets. */
    default boolean takesConnections() {
      return true;
    }

    /**
     * Reports to the operator that a request or connection was refused.
     *
     * @param reason the reason, and the option that admits it, in a sentence
     */
    default void refused(ChannelInfo channel, String reason) {}
  }

  /** A bound endpoint. Thread-safe. */
  interface Listening extends AutoCloseable {
    /** Returns the bound endpoint. If port 0 was given, it has the real port. */
    Endpoint endpoint();

    /**
     * Returns the TCP port of this process for clients to connect to; empty by default, for a
     * transport that listens on none, such as a pipe or the queue of a message broker.
     */
    default OptionalInt port() {
      return OptionalInt.empty();
    }

    /** Whether only one connection is ever accepted, as from standard input. */
    default boolean isSingle() {
      return false;
    }

    /** Stops accepting connections and releases the bound name. Open channels are not affected. */
    @Override
    void close();

    /**
     * Closes the endpoint and lets requests that it serves without a channel finish. After {@code
     * limit} the requests that still run are cancelled, and connections that carry no channel are
     * closed. Does not block, on any thread. A transport that only carries channels has no such
     * requests; the default implementation calls {@link #close()}.
     *
     * @param limit the time that the requests have to finish
     * @return a stage that completes when all of this has ended, at the latest one second after the
     *     limit; the second is for writing queued output
     */
    default CompletionStage<?> finish(Duration limit) {
      close();
      return CompletableFuture.completedStage(null);
    }
  }
}
