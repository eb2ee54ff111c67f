package dev.repartee.build.snippets;

import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.dap.DebugTools;
import java.nio.file.Path;

/** The code of protocols/mcp-dap/README.md. */
final class McpDapTour {
  private McpDapTour() {}

  static void serve(String debugAdapter, Path folder, String endpoint) throws Exception {
    McpServer server = McpServer.builder("debugger", "1.0").build();
    DebugTools tools = DebugTools.builder(debugAdapter, folder).addTo(server);
    try (tools) {
      server.listen(endpoint).join();
    }
  }
}
