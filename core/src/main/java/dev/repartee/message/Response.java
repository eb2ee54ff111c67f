package dev.repartee.message;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC 2.0 response, the answer to a request. It has either a result or an error (section 5).
 *
 * @param id the id of the request, or {@link Id#NULL} if it could not be read
 * @param result the result, or null if the response has an error ({@link Json#NULL} is a result)
 * @param error the error, or null if the response has a result
 */
public record Response(
    Id id, @Nullable Json result, @Nullable RpcError error) implements Message {
  /**
   * Checks the components.
   *
   * @throws IllegalArgumentException if both or neither of result and error are null
   */
  public Response {
    if ((result == null) == (error == null)) {
      throw new IllegalArgumentException("a response has exactly one of result and error");
    }
  }

  /** Returns a response with a result. */
  public static Response of(Id id, Json result) {
    return new Response(id, result, null);
  }

  /** Returns a response with an error. */
  public static Response of(Id id, RpcError error) {
    return new Response(id, null, error);
  }
}
