package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Sees what happens on connections: for logs, metrics and debugging. Core itself logs nothing.
 *
 * <p>Methods are called by the threads that do the work, several at once, and must not block. What
 * they throw is ignored.
 */
public interface Listener {
  /** Sees nothing. */
  Listener NONE = new Listener() {};

  /** A connection is open. */
  default void connected(Peer peer) {}

  /** A connection has ended; {@code cause} is null after an orderly end. */
  default void disconnected(Peer peer, @Nullable Throwable cause) {}

  /**
   * The peer broke the protocol in a way that nobody waits for: bad input, an answer to no call, an
   * error without an id.
   */
  default void violation(ChannelInfo channel, String what) {}

  /** A handler failed with something that is not an {@link RpcException}; none of it was sent. */
  default void failed(Call call, Throwable cause) {}
}
