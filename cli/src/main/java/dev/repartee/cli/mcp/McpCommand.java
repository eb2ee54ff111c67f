package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Stdio;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code repartee mcp}: the commands for the Model Context Protocol. */
@Command(
    name = "mcp",
    description = "Serves tools to language models over the Model Context Protocol (MCP).",
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee mcp serve tcp://127.0.0.1:7000",
      "  repartee mcp serve --class java.lang.Math",
      "",
      "Run 'repartee mcp COMMAND --help' for details."
    })
public final class McpCommand {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private McpCommand() {}

  /** Builds the parser. */
  public static CommandLine line(Stdio stdio) {
    return new CommandLine(new McpCommand()).addSubcommand("serve", McpServeCommand.line(stdio));
  }
}
