package dev.repartee.netty;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A connection on which requests come in. */
interface ServedConnection {
  /** No further requests: the connection ends once what came in is answered. From any thread. */
  void finish();

  /**
   * The same; after that time what still runs is cancelled and the connection ends. Completes when it
   * has ended, or carries something else by now.
   */
  CompletableFuture<?> finish(Duration limit);
}
