package dev.repartee.cli.mcp;

import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.dap.DapServer;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.dap.DebugTools;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code repartee mcp serve} for a debug adapter only. */
final class DebugAdapterOptions {
  static final String INSTRUCTIONS = "These tools debug a program: set_breakpoints, then launch,"
      + " then look with stack_trace, variables and evaluate, and go on with step_over, step_in,"
      + " step_out and continue. Lines count from 1, and paths are relative to the workspace"
      + " folder. The references of frames and variables are valid until the program runs on."
      + " End with terminate.";

  @Option(names = "--configuration", paramLabel = "FILE", description = """
          With --as dap: a JSON object with members for every launch and attach, such as type or \
          python; the model may replace them.""")
  @Nullable Path configuration;

  @Option(names = "--terminals", description = """
          With --as dap: let the debug adapter run commands with runInTerminal, as child \
          processes. Without it such a request is refused.""")
  boolean terminals;

  boolean areGiven() {
    return configuration != null || terminals;
  }

  /**
   * Adds the tools of the debug adapter to an MCP server.
   *
   * @throws IOException if there is no such folder
   */
  DebugTools start(McpServer server, String uri, Path folder, Connection connection, Stdio stdio)
      throws IOException {
    DebugTools.Builder builder = DebugTools.builder(uri, folder)
        .options(connection.options(DapServer.options().build(), stdio))
        .terminals(terminals);
    if (configuration != null) {
      builder.configuration(DeveloperToolOptions.object(configuration, "--configuration"));
    }
    return builder.addTo(server);
  }
}
