package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Receives what comes to an endpoint, for protocols whose connections have a state of their own: it
 * opens each peer with the service and the options of that one connection. See {@link
 * Repartee#listen(String, Reception, Options)}. Thread-safe.
 */
@FunctionalInterface
public interface Reception {
  /** Opens a peer on a new connection, with {@link Peer#open}. Must not block. */
  Peer open(Channel channel);

  /**
   * Serves HTTP requests; asked once, by endpoints that carry such requests. Null where only connections are served, such as
   * WebSockets.
   */
  default @Nullable HttpService http() {
    return null;
  }

  /**
   * The server is closing: calls that wait for something to happen should end. Those that are being
   * worked on get the time that the server has.
   */
  default void closing() {}

  /** The server has closed: what still runs has had its time. */
  default void closed() {}
}
