package dev.repartee.mcp.state;

import dev.repartee.Call;
import dev.repartee.json.Json;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends notifications and requests from the server to a client with a handshake. Thread-safe. */
public interface ClientChannel {
  /** The channel of a stateless client, which cannot be reached. */
  ClientChannel NONE = new ClientChannel() {
    @Override
    public boolean notify(String method, Json params) {
      return true;
    }

    @Override
    public CompletionStage<Json> ask(Call call, String method, Json params) {
      return CompletableFuture.failedStage(
          new IllegalStateException("a stateless client does not accept requests of the server"));
    }
  };

  /**
   * Sends a notification that does not belong to a call. Never waits.
   *
   * @return false if the write queue is full and the notification was not sent; true otherwise,
   *     even if the client is disconnected and the notification is dropped
   */
  boolean notify(String method, Json params);

  /** Sends a request that a call needs, on the stream that carries the answer to that call. */
  CompletionStage<Json> ask(Call call, String method, Json params);
}
