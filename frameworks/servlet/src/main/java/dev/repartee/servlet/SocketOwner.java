package dev.repartee.servlet;

import dev.repartee.transport.Channel;

/** The receiver of WebSockets. */
interface SocketOwner {
  /** Accepts a WebSocket that is open, and starts its channel. */
  void opened(Channel channel);

  /** Is called once at the end of each WebSocket that was opened. */
  void ended();
}
