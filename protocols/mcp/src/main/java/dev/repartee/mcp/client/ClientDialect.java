package dev.repartee.mcp.client;

import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.message.ForwardingDialect;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of a client. MCP reports progress by a token and not by the id of the call; therefore
 * this dialect has no progress method, and the notification is served like any other.
 */
final class ClientDialect extends ForwardingDialect {
  ClientDialect() {
    super(new McpDialect(() -> true));
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }
}
