package dev.repartee.servlet;

import dev.repartee.transport.Channel;

/** The receiver of WebSockets. */
interface SocketOwner {
  /**
   * Accepts a WebSocket that is open, and starts its channel. Returns false if as many are open as
   * may be.
   */
  boolean opened(Channel channel);

  /** Returns whether the server closes. */
  boolean isClosing();

  /** Is called once at the end of each WebSocket that was opened, also of one that is refused. */
  void ended();
}
