package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The way to a client with a handshake, for what is no answer. Thread-safe. */
interface Line {
  /** None: of a client whose requests stand for themselves. */
  Line NONE = new Line() {
    @Override
    public boolean notify(String method, Json params) {
      return true;
    }

    @Override
    public CompletionStage<Json> ask(McpCall call, String method, Json params) {
      return CompletableFuture.failedStage(
          new IllegalStateException("no request of a stateless client has a way back"));
    }
  };

  /**
   * Tells the client something that belongs to no call; dropped where it cannot be reached. Never waits:
   * returns false, having told nothing, where there is no room for it now.
   */
  boolean notify(String method, Json params);

  /** Asks the client something that a call needs, on what carries the answer to that call. */
  CompletionStage<Json> ask(McpCall call, String method, Json params);
}
