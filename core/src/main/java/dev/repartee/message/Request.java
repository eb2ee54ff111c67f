package dev.repartee.message;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC 2.0 request: a message that must be answered (section 4).
 *
 * @param id the id, which the response repeats
 * @param method the name of the method
 * @param params an array or an object, or null if there are no params
 */
public record Request(Id id, String method, @Nullable Json params) implements Message {
  /**
   * Checks the params.
   *
   * @throws IllegalArgumentException if the params are neither an array nor an object
   */
  public Request {
    requireStructured(params);
  }

  /**
   * Checks params.
   *
   * @throws IllegalArgumentException if they are neither null, nor an array, nor an object
   */
  public static void requireStructured(@Nullable Json params) {
    if (params != null && params.kind() != Json.Kind.ARRAY && params.kind() != Json.Kind.OBJECT) {
      throw new IllegalArgumentException("params are an array or an object, not " + params);
    }
  }
}
