package dev.repartee;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes channels for the URIs of some schemes. Found by {@link java.util.ServiceLoader} (in a module:
 * {@code provides dev.repartee.Transport with ...}); those of the JDK-only transports are built in and
 * go first. Thread-safe.
 */
public interface Transport {
  /**
   * The transport that serves the scheme of that endpoint.
   *
   * @throws IllegalArgumentException if none does; the message lists the schemes that are known
   */
  static Transport of(Endpoint endpoint) {
    return Transports.of(endpoint);
  }

  /**
   * Connects to an endpoint by its transport.
   *
   * @throws IllegalArgumentException if no transport serves its scheme, or there are {@linkplain
   *     Options#headers headers} that this one has no place for
   * @throws IOException if {@link #connect} fails
   */
  static Channel open(Endpoint endpoint, Options options) throws IOException {
    Transport transport = of(endpoint);
    if (!options.headers().isEmpty() && !transport.hasHeaders()) {
      throw new IllegalArgumentException(endpoint.scheme() + ": has no place for the headers "
          + options.headers() + "; http: and ws: have, or leave them out");
    }
    return transport.connect(endpoint, options);
  }

  /** The schemes it serves, in lower case, such as {@code tcp}. */
  Set<String> schemes();

  /** The option keys it knows besides {@code framing}. */
  default Set<String> options() {
    return Set.of();
  }

  /** Whether a connection has a place for {@linkplain Options#headers headers}. */
  default boolean hasHeaders() {
    return false;
  }

  /**
   * Connects; {@link #open} is the way in for callers. Blocks until connected, failed, or {@link Limits#connectTimeout} has passed.
   *
   * @throws IOException with a message that names the endpoint and what to do
   */
  Channel connect(Endpoint endpoint, Options options) throws IOException;

  /**
   * Listens. What comes goes to {@code acceptor}: connections, or, where a transport carries only
   * answers to whoever asks, single frames.
   *
   * @throws IOException with a message that names the endpoint and what to do
   */
  Listening listen(Endpoint endpoint, Options options, Acceptor acceptor) throws IOException;

  /** Takes what comes to an endpoint. */
  @FunctionalInterface
  interface Acceptor {
    /**
     * Takes a connection, and starts its channel before this returns. May be called by threads that
     * read channels, several at once, so it does not block.
     */
    void accept(Channel channel);

    /**
     * Serves frames that come without a connection; the same at every call.
     *
     * @throws IllegalStateException if only connections are taken
     */
    default Responder.OneWay responder() {
      throw new IllegalStateException("nobody here serves frames that come without a connection");
    }

    /**
     * Serves HTTP requests in a way of its own, in the place of {@link #responder()}; null where a POST is
     * a message and no more. A transport asks once.
     */
    default @Nullable HttpService http() {
      return null;
    }
  }

  /** A bound endpoint. */
  interface Listening extends AutoCloseable {
    /** What it is bound to: with the real port where 0 was asked for. */
    Endpoint endpoint();

    /** Whether it accepts one connection and then no other, as standard input does. */
    default boolean isSingle() {
      return false;
    }

    /** Accepts nothing more and removes the name that it had bound. Open channels go on. */
    @Override
    void close();

    /**
     * Closes, and lets what it serves without a channel finish for that long at most; what still runs
     * then is cancelled, and connections that carry no channel end. Returns at once, on any thread.
     * Where all that comes is channels it is the same as {@link #close()}.
     *
     * @return completes when all that has ended: after the limit and a second for what was written to
     *     leave, at the latest
     */
    default CompletionStage<?> finish(Duration limit) {
      close();
      return CompletableFuture.completedStage(null);
    }
  }
}
