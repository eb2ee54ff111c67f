package dev.repartee.cli;

import dev.repartee.cli.agents.AgentsCommand;
import dev.repartee.cli.mcp.McpCommand;
import dev.repartee.cli.options.Version;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.transport.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command {@code repartee}: parses the command line and reports failures. */
@Command(
    name = "repartee",
    description = "Calls and serves JSON-RPC 2.0 endpoints.",
    versionProvider = Version.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee serve",
      "  repartee call http://127.0.0.1:8645/ subtract 42 23",
      "  repartee serve --class java.lang.Math",
      "  repartee check http://127.0.0.1:8645/",
      "",
      "Run 'repartee COMMAND --help' for details."
    })
final class Commands {
  /** The commands: each builds its parser, given the word behind its name or an empty one. */
  private static final Map<String, BiFunction<Stdio, String, CommandLine>> COMMANDS =
      new LinkedHashMap<>();

  static {
    COMMANDS.put("call", (stdio, next) -> CallCommand.line(stdio));
    COMMANDS.put("notify", (stdio, next) -> NotifyCommand.line(stdio));
    COMMANDS.put("session", (stdio, next) -> SessionCommand.line(stdio));
    COMMANDS.put("batch", (stdio, next) -> BatchCommand.line(stdio));
    COMMANDS.put("send", (stdio, next) -> SendCommand.line(stdio));
    COMMANDS.put("check", (stdio, next) -> CheckCommand.line(stdio));
    COMMANDS.put("serve", (stdio, next) -> ServeCommand.line(stdio));
    COMMANDS.put("bridge", (stdio, next) -> BridgeCommand.line(stdio));
    COMMANDS.put("mcp", McpCommand::line);
    COMMANDS.put("agents", AgentsCommand::line);
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the versions of repartee and of Java and exit.")
  boolean version;

  private Commands() {}

  /** Runs the command and returns its exit code, one of {@link Exit}. */
  static int run(Stdio stdio, String... args) {
    return commandLine(stdio, word(args, 0), word(args, 1))
        .setOut(HelpLayout.writer(stdio.help()))
        .setHelpFactory(HelpLayout::new)
        .setColorScheme(Help.defaultColorScheme(ansi(stdio)))
        .setUsageHelpWidth(100)
        .setExpandAtFiles(false) // an argument may start with @
        .setParameterExceptionHandler((e, words) -> refused(stdio, e))
        .setExecutionExceptionHandler(
            (e, line, parsed) -> failed(stdio, e, parsed.originalArgs().get(0)))
        .execute(args);
  }

  /**
   * Builds the parser. If the first argument is the name of a subcommand, only the class of that
   * subcommand is loaded, which shortens the start.
   */
  private static CommandLine commandLine(Stdio stdio, String first, String next) {
    CommandLine root = new CommandLine(new Commands());
    COMMANDS.forEach((name, command) -> {
      if (first.equals(name) || !COMMANDS.containsKey(first)) {
        root.addSubcommand(name, command.apply(stdio, next));
      }
    });
    return root;
  }

  private static String word(String[] args, int index) {
    return index < args.length ? args[index] : "";
  }

  private static Help.Ansi ansi(Stdio stdio) {
    boolean colour = stdio.terminal() && System.getenv("NO_COLOR") == null;
    return colour ? Help.Ansi.ON : Help.Ansi.OFF;
  }

  private static int refused(Stdio stdio, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    stdio.say(sentence(e) + "; see '" + command + " --help'");
    return Exit.USAGE;
  }

  private static String sentence(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().get(0);
      boolean above = !e.getCommandLine().getSubcommands().isEmpty();
      String kind = word.startsWith("-") ? "option" : above ? "command" : "argument";
      boolean serves = kind.equals("argument")
          && word.indexOf(':') > 0
          && e.getCommandLine().getCommandSpec().findOption("--listen") != null;
      return "unknown " + kind + " '" + Endpoint.shown(word) + "'"
          + (serves ? "; an endpoint to serve at is an option: --listen URI" : "");
    }
    return Failure.reason(e);
  }

  /** Reports on standard error why a command failed, and returns its exit code. */
  static int failed(Stdio stdio, Throwable e, String command) {
    if (e instanceof Failure failure) {
      stdio.say(failure.sentence());
      return failure.exit();
    }
    // Names only the subcommand, because the other arguments may contain secrets.
    stdio.say("internal error in 'repartee " + command + "', please report it as a bug: " + e);
    return Exit.DEFECT;
  }
}
