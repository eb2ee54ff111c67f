package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import org.jspecify.annotations.Nullable;

/**
 * The answer of JetStream to a message: that a stream has stored it, or why not.
 *
 * @param error the reason in the words of the server; null if it is stored
 */
record StoreAnswer(@Nullable String error) {
  /** The most bytes of such an answer. */
  private static final int MOST = 1_000;

  /** Returns the answer in a message; null if the message is none, such as one of a worker. */
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
