package dev.repartee.examples.everything;

import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.types.Implementation;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the server from all its parts. */
final class Everything {
  private static final Implementation SELF = new Implementation(
      "repartee-everything",
      "0.1.0",
      "Everything",
      "An MCP server that uses every feature",
      "https://example.com/mcp-everything",
      List.of(Media.ICON));

  private Everything() {}

  /**
   * Creates the server.
   *
   * @param token the token that clients over HTTP must send, or null for none
   */
  static McpServer server(@Nullable String token) {
    McpServer.Builder builder = McpServer.builder(SELF)
        .instructions("The tools are for trying out clients; none has an effect outside of them.")
        .cache(Duration.ofSeconds(5), true)
        .tools(new Texts())
        .tools(new Media())
        .tools(new Reports())
        .tools(new Conversations())
        .tools(new Rounds())
        .tools(new Tasks());
    Schemas.tools().forEach(builder::tool);
    Documents.addTo(builder);
    Phrases.addTo(builder);
    if (token != null) {
      builder.authorization(Guard.of(token));
    }
    McpServer server = builder.build();
    Changes.addTo(server);
    return server;
  }
}
