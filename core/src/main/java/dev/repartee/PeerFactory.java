package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpService;
import org.jspecify.annotations.Nullable;

/**
 * A factory of peers for the connections of an endpoint, for protocols with a state for each
 * connection: it opens each peer with its own service and options. Implementations must be
 * thread-safe. See {@link Repartee#listen(String, PeerFactory, Options)}.
 */
@FunctionalInterface
public interface PeerFactory {
  /** Opens a peer on a new connection with {@link Peer#open}. Must not block. */
  Peer open(Channel channel);

  /**
   * Returns the service for HTTP requests, or null if only connections such as WebSockets are
   * served. Called once, by endpoints that serve HTTP.
   *
   * @param path the path of the endpoint, or of this factory in {@link HttpRoutes}
   */
  default @Nullable HttpService http(String path) {
    return null;
  }

  /**
   * Returns the access of all peers, if it is the same for all. The server asks its authenticator
   * before a channel reaches {@link #open}, and before a request reaches {@link #http}. Null by
   * default. If the access is null or has no authenticator, the options given to {@code listen}
   * define the authenticator.
   */
  default @Nullable Access access() {
    return null;
  }

  /**
   * Reports that the server is closing. Calls that wait for an event should end now; other running
   * calls have the time that the server has for closing.
   */
  default void closing() {}

  /** Reports that the server has closed: the time for running calls has passed. */
  default void closed() {}
}
