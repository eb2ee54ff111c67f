package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A call that must be answered (JSON-RPC 2.0 section 4).
 *
 * @param id what the answer carries
 * @param method the name of the method
 * @param params an array or an object, or null where there are none
 */
public record Request(Id id, String method, @Nullable Json params) implements Message {
  /** Refuses params that are neither array nor object. */
  public Request {
    requireStructured(params);
  }

  static void requireStructured(@Nullable Json params) {
    if (params != null && params.kind() != Json.Kind.ARRAY && params.kind() != Json.Kind.OBJECT) {
      throw new IllegalArgumentException("params are an array or an object, not " + params);
    }
  }
}
