package dev.repartee;

import java.io.IOException;

/**
 * The way in: {@link #connect} to call, {@link #listen} to serve.
 *
 * <pre>{@code
 * try (Peer peer = Repartee.connect("tcp://127.0.0.1:7000")) {
 *   int difference = peer.call("subtract", int.class, 42, 23);
 * }
 * }</pre>
 */
public final class Repartee {
  private Repartee() {}

  /**
   * Connects to a URI to call what is served there, offering nothing; see {@link #connect(String,
   * Service, Options)}.
   */
  public static Peer connect(String uri) throws IOException {
    return connect(uri, Service.NONE, Options.DEFAULT);
  }

  /**
   * Connects to a URI, offering a service to the other side. Blocks until connected; the peer is the
   * caller's to close. Messages are framed as lines unless the URI says otherwise.
   *
   * @throws IOException if it cannot be reached within {@link Limits#connectTimeout}
   * @throws IllegalArgumentException if the URI is none that an installed transport knows, or has no
   *     place for the headers of the options
   * @throws IllegalStateException over HTTP and WebSocket on a {@linkplain ReadingThread thread that
   *     reads}, as that of a callback: connecting would wait there for what such threads read
   */
  public static Peer connect(String uri, Service service, Options options) throws IOException {
    Endpoint endpoint = Endpoint.parse(uri);
    return Peer.open(Transport.open(endpoint, options), service, options.at(endpoint));
  }

  /** Serves at a URI; see {@link #listen(String, Service, Options)}. */
  public static Server listen(String uri, Service service) throws IOException {
    return listen(uri, service, Options.DEFAULT);
  }

  /**
   * Serves at a URI until closed. Returns once connections are accepted; they are served by threads
   * that do not keep the JVM alive ({@link Server#join} does). How a client frames its messages is
   * found out, unless the URI says it.
   *
   * @throws IOException if it cannot be bound
   * @throws IllegalArgumentException if the URI is none that an installed transport knows
   */
  public static Server listen(String uri, Service service, Options options) throws IOException {
    return Server.listen(Endpoint.parse(uri), service, options);
  }

  /**
   * Serves at a URI connections that the reception opens, each in its own way: for protocols that keep
   * a state for each connection. Of the options the limits hold for what is common to all of them.
   *
   * @throws IOException if it cannot be bound
   * @throws IllegalArgumentException if the URI is none that an installed transport knows
   */
  public static Server listen(String uri, Reception reception, Options options) throws IOException {
    return Server.listen(Endpoint.parse(uri), reception, options);
  }
}
