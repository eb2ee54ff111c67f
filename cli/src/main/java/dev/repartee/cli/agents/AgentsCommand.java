package dev.repartee.cli.agents;

import dev.repartee.cli.terminal.Stdio;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code repartee agents}: the commands for plans of several agents. */
@Command(
    name = "agents",
    description = {
      "Runs plans of several agents: MCP servers, agents of A2A and of ACP, and JSON-RPC"
          + " services, each as a child process or a remote endpoint.",
      "",
      "The URI of an agent has its protocol before the endpoint: mcp+exec:COMMAND,"
          + " mcp+https://HOST/PATH, a2a+https://HOST, acp+exec:COMMAND, acp-runs+http://HOST:PORT/,"
          + " json-rpc+tcp://HOST:PORT. The default protocol is JSON-RPC.",
      "",
      "A run with --durable is kept in a PostgreSQL database and survives a crash. The commands submit,"
          + " worker, runs, resume, cancel and resolve are for durable runs."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee agents list mcp+exec:'node server.js' tcp://127.0.0.1:7000",
      "  repartee agents run plan.yaml --input 'the text'",
      "  repartee agents serve plan.yaml --as mcp --listen stdio:",
      "  repartee agents worker --durable postgresql://me@127.0.0.1/runs",
      "",
      "Run 'repartee agents COMMAND --help' for details."
    })
public final class AgentsCommand {
  private static final Map<String, Function<Stdio, CommandLine>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("run", AgentsRunCommand::line);
    COMMANDS.put("list", AgentsListCommand::line);
    COMMANDS.put("serve", AgentsServeCommand::line);
    COMMANDS.put("submit", AgentsSubmitCommand::line);
    COMMANDS.put("worker", AgentsWorkerCommand::line);
    COMMANDS.put("runs", AgentsRunsCommand::line);
    COMMANDS.put("resume", AgentsResumeCommand::line);
    COMMANDS.put("cancel", AgentsCancelCommand::line);
    COMMANDS.put("resolve", AgentsResolveCommand::line);
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private AgentsCommand() {}

  /**
   * Builds the parser. If the next word is the name of a subcommand, only the class of that
   * subcommand is loaded, which shortens the start.
   */
  public static CommandLine line(Stdio stdio, String next) {
    CommandLine line = new CommandLine(new AgentsCommand());
    COMMANDS.forEach((name, command) -> {
      if (next.equals(name) || !COMMANDS.containsKey(next)) {
        line.addSubcommand(name, command.apply(stdio));
      }
    });
    return line;
  }
}
