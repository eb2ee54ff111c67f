package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a request: exactly one of result and error (JSON-RPC 2.0 section 5).
 *
 * @param id the id of the request, or {@link Id#NULL} where it could not be read
 * @param result the result, null if this is an error ({@link Json#NULL} is a result)
 * @param error the error, null if this is a result
 */
public record Response(
    Id id, @Nullable Json result, @Nullable RpcError error) implements Message {
  /** Refuses both or neither of result and error. */
  public Response {
    if ((result == null) == (error == null)) {
      throw new IllegalArgumentException("a response has exactly one of result and error");
    }
  }

  /** The answer to a call that went well. */
  public static Response of(Id id, Json result) {
    return new Response(id, result, null);
  }

  /** The answer to a call that failed. */
  public static Response of(Id id, RpcError error) {
    return new Response(id, null, error);
  }
}
