package dev.repartee.cli.mcp;

import dev.repartee.cli.options.CommandGroup;
import picocli.CommandLine.Command;

/** {@code repartee mcp}: the commands for the Model Context Protocol. */
@Command(description = """
        Uses the servers of the Model Context Protocol (MCP), as programs with a language model \
        do; 'serve' turns any JSON-RPC service or class into an MCP server.""", footer = """
          repartee mcp tools http://127.0.0.1:8646/mcp
          repartee mcp call http://127.0.0.1:8646/mcp hypot arg0=3 arg1=4
          repartee mcp servers servers.json
          repartee mcp serve tcp://127.0.0.1:7000
          repartee mcp serve --class java.lang.Math

        Run 'repartee mcp COMMAND --help' for details.""")
public final class McpCommand extends CommandGroup {
  public McpCommand() {
    add("tools", () -> McpToolsCommand.class);
    add("call", () -> McpCallCommand.class);
    add("resources", () -> McpResourcesCommand.class);
    add("read", () -> McpReadCommand.class);
    add("prompts", () -> McpPromptsCommand.class);
    add("get", () -> McpGetCommand.class);
    add("complete", () -> McpCompleteCommand.class);
    add("listen", () -> McpListenCommand.class);
    add("logout", () -> McpLogoutCommand.class);
    add("servers", () -> McpServersCommand.class);
    add("serve", () -> McpServeCommand.class);
  }
}
