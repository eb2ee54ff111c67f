package dev.repartee.mcp;

import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ToolException;

/**
 * A resource and its reader.
 *
 * @param resource the resource
 * @param reader reads its contents
 */
public record ServedResource(Resource resource, Reader reader) {
  /** Reads the contents of a resource. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads the contents, on a thread that may block.
     *
     * @return a {@link ResourceContents}, a list of them, a string (with the resource's own URI and
     *     media type), or a {@link java.util.concurrent.CompletionStage} of one of these
     * @throws dev.repartee.RpcException to answer with that JSON-RPC error
     * @throws Exception a {@link ToolException} is answered -32602 with its message, any other
     *     exception -32603
     */
    Object read(McpCall call) throws Exception;
  }
}
