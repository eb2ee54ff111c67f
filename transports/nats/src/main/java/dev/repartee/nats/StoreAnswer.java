package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import org.jspecify.annotations.Nullable;

/**
 * The answer of JetStream to a message: whether a stream has stored it.
 *
 * @param error the reason from the server why it is not stored; null if it is stored
 */
record StoreAnswer(@Nullable String error) {
  /** The maximum size of such an answer in bytes. */
  private static final int MOST = 1_000;

  /** Returns the answer in a message; null if it is another message, for example from a worker. */
  static @Nullable StoreAnswer of(byte[] body) {
    if (body.length < 3 || body.length > MOST || body[2] != 's' && body[2] != 'e') {
      return null;
    }
    String text = new String(body, UTF_8);
    if (!text.startsWith("{\"stream\":") && !text.startsWith("{\"error\":{")
        || !text.contains("\"seq\":")
        || text.contains("\"jsonrpc\"")) {
      return null;
    }
    try {
      Json error = Json.parse(body).get("error");
      Json description = error == null ? null : error.get("description");
      return new StoreAnswer(
          error == null ? null : description == null ? "error" : description.as(String.class));
    } catch (JsonException e) {
      return null;
    }
  }
}
