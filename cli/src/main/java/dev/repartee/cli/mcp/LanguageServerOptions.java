package dev.repartee.cli.mcp;

import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.lsp.LspServer;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.lsp.LanguageTools;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code repartee mcp serve} for a language server only. */
final class LanguageServerOptions {
  static final String INSTRUCTIONS = "These tools ask a language server about the code of a"
      + " workspace folder. Name positions by a line and the symbol in it. Lines and columns"
      + " count from 1, and paths are relative to the folder.";

  @Option(names = "--settings", paramLabel = "FILE", description = """
          With --as lsp: a JSON object with the settings that the language server asks for \
          (workspace/configuration).""")
  @Nullable Path settings;

  @Option(names = "--write", description = """
          With --as lsp: let the tool rename write files of the folder. Without it all tools are \
          read-only.""")
  boolean writes;

  boolean areGiven() {
    return settings != null || writes;
  }

  /**
   * Starts the language server and adds its tools to an MCP server.
   *
   * @throws IOException if it cannot be started
   */
  LanguageTools start(McpServer server, String uri, Path folder, Connection connection, Stdio stdio)
      throws IOException {
    LanguageTools.Builder builder = LanguageTools.builder(uri, folder)
        .options(connection.options(LspServer.options().build(), stdio))
        .writes(writes);
    if (settings != null) {
      builder.settings(DeveloperToolOptions.object(settings, "--settings"));
    }
    return builder.start(server);
  }
}
