package dev.repartee.netty;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An accepted connection that carries requests. */
interface ServedConnection {
  /**
   * Accepts no further requests. The connection ends when the received ones are answered. Any
   * thread may call it.
   */
  void finish();

  /**
   * Does the same, and cancels the requests that still run after the limit.
   *
   * @return completes when the connection has ended, or has become a WebSocket
   */
  CompletableFuture<?> finish(Duration limit);
}
