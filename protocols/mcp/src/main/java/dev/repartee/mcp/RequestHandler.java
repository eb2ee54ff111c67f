package dev.repartee.mcp;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/** Serves a request that MCP itself does not define, such as a request of an extension. */
@FunctionalInterface
public interface RequestHandler {
  /**
   * Serves the request, on a thread that may block.
   *
   * @param params the params, with their {@code _meta}; an empty object if the request has none
   * @return the result: a value that {@link Json#of} writes as an object, null for an empty object,
   *     or a {@link java.util.concurrent.CompletionStage} of one of these. The server adds the
   *     members that the revision requires, such as {@code resultType}
   * @throws dev.repartee.RpcException to answer with that JSON-RPC error
   * @throws Exception any other exception is answered with an internal error without its message;
   *     the {@link dev.repartee.Listener} gets the exception
   */
  @Nullable Object handle(McpCall call, Json params) throws Exception;
}
