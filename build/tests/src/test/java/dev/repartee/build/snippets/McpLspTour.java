package dev.repartee.build.snippets;

import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.lsp.LanguageTools;
import java.nio.file.Path;

/** The code of protocols/mcp-lsp/README.md. */
final class McpLspTour {
  private McpLspTour() {}

  static void serve(String languageServer, Path folder, String endpoint) throws Exception {
    McpServer server = McpServer.builder("engine", "1.0").build();
    LanguageTools tools = LanguageTools.builder(languageServer, folder).start(server);
    try (tools) {
      server.listen(endpoint).join();
    }
  }
}
