package dev.repartee.cli.mcp;

import dev.repartee.cli.options.CommandGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code repartee mcp}: the commands for the Model Context Protocol. */
@Command(description = """
        Uses the servers of the Model Context Protocol (MCP), as programs with a language model \
        do; 'serve' makes an MCP server of any JSON-RPC service or class.""", footer = """
          repartee mcp tools http://127.0.0.1:8646/mcp
          repartee mcp call http://127.0.0.1:8646/mcp hypot arg0=3 arg1=4
          repartee mcp servers servers.json
          repartee mcp serve tcp://127.0.0.1:7000
          repartee mcp serve --class java.lang.Math

        Run 'repartee mcp COMMAND --help' for details.""")
public final class McpCommand extends CommandGroup {
  private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("tools", () -> McpToolsCommand.class);
    COMMANDS.put("call", () -> McpCallCommand.class);
    COMMANDS.put("resources", () -> McpResourcesCommand.class);
    COMMANDS.put("read", () -> McpReadCommand.class);
    COMMANDS.put("prompts", () -> McpPromptsCommand.class);
    COMMANDS.put("get", () -> McpGetCommand.class);
    COMMANDS.put("complete", () -> McpCompleteCommand.class);
    COMMANDS.put("listen", () -> McpListenCommand.class);
    COMMANDS.put("logout", () -> McpLogoutCommand.class);
    COMMANDS.put("servers", () -> McpServersCommand.class);
    COMMANDS.put("serve", () -> McpServeCommand.class);
  }

  @Override
  protected Map<String, Supplier<Object>> commands() {
    return COMMANDS;
  }
}
