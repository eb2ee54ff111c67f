package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.concurrent.CompletionStage;

/** The way to a client with a handshake, for what is no answer. Thread-safe. */
interface Line {
  /** Tells the client something that belongs to no call; dropped where it cannot be reached. */
  void notify(String method, Json params);

  /** Asks the client something that a call needs, on what carries the answer to that call. */
  CompletionStage<Json> ask(McpCall call, String method, Json params);
}
