package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A message that is never answered (JSON-RPC 2.0 section 4.1).
 *
 * @param method the name of the method
 * @param params an array or an object, or null where there are none
 */
public record Notification(String method, @Nullable Json params) implements Message {
  /** Refuses params that are neither array nor object. */
  public Notification {
    Request.requireStructured(params);
  }
}
