package dev.repartee.message;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC 2.0 notification: a message that is never answered (section 4.1).
 *
 * @param method the name of the method
 * @param params an array or an object, or null if there are no params
 */
public record Notification(String method, @Nullable Json params) implements Message {
  /**
   * Checks the params.
   *
   * @throws IllegalArgumentException if the params are neither an array nor an object
   */
  public Notification {
    Request.requireStructured(params);
  }
}
