package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Stdio;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code repartee mcp}: the commands for the Model Context Protocol. */
@Command(
    name = "mcp",
    description = {
      "Uses the servers of the Model Context Protocol (MCP), as programs with a language model do;"
          + " 'serve' makes an MCP server of any JSON-RPC service or class."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee mcp tools http://127.0.0.1:8646/mcp",
      "  repartee mcp call http://127.0.0.1:8646/mcp hypot arg0=3 arg1=4",
      "  repartee mcp servers servers.json",
      "  repartee mcp serve tcp://127.0.0.1:7000",
      "  repartee mcp serve --class java.lang.Math",
      "",
      "Run 'repartee mcp COMMAND --help' for details."
    })
public final class McpCommand {
  private static final Map<String, Function<Stdio, CommandLine>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("tools", McpToolsCommand::line);
    COMMANDS.put("call", McpCallCommand::line);
    COMMANDS.put("resources", McpResourcesCommand::line);
    COMMANDS.put("read", McpReadCommand::line);
    COMMANDS.put("prompts", McpPromptsCommand::line);
    COMMANDS.put("get", McpGetCommand::line);
    COMMANDS.put("complete", McpCompleteCommand::line);
    COMMANDS.put("listen", McpListenCommand::line);
    COMMANDS.put("logout", McpLogoutCommand::line);
    COMMANDS.put("servers", McpServersCommand::line);
    COMMANDS.put("serve", McpServeCommand::line);
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private McpCommand() {}

  /**
   * Builds the parser. If the next word is the name of a subcommand, only the class of that
   * subcommand is loaded, which shortens the start.
   */
  public static CommandLine line(Stdio stdio, String next) {
    CommandLine line = new CommandLine(new McpCommand());
    COMMANDS.forEach((name, command) -> {
      if (next.equals(name) || !COMMANDS.containsKey(next)) {
        line.addSubcommand(name, command.apply(stdio));
      }
    });
    return line;
  }
}
