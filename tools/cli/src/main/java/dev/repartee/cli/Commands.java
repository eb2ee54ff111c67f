package dev.repartee.cli;

import dev.repartee.Repartee;
import dev.repartee.cli.agents.AgentsCommand;
import dev.repartee.cli.mcp.McpCommand;
import dev.repartee.cli.openrpc.DescribeCommand;
import dev.repartee.cli.openrpc.GenerateCommand;
import dev.repartee.cli.openrpc.ListCommand;
import dev.repartee.cli.openrpc.MockCommand;
import dev.repartee.cli.openrpc.OpenRpcCommand;
import dev.repartee.cli.options.CommandGroup;
import dev.repartee.cli.options.Suggestion;
import dev.repartee.cli.terminal.Durations;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.transport.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command {@code repartee}: parses the command line and reports failures. */
@Command(
    name = "repartee",
    description = "Calls and serves JSON-RPC 2.0 endpoints.",
    versionProvider = Commands.Version.class,
    footer = """
          repartee serve
          repartee call http://127.0.0.1:8645/ subtract 42 23
          repartee serve --class java.lang.Math
          repartee check http://127.0.0.1:8645/
          repartee list http://127.0.0.1:8645/

        Run 'repartee COMMAND --help' for details.""")
final class Commands extends CommandGroup {
  Commands() {
    add("call", () -> CallCommand.class);
    add("notify", () -> NotifyCommand.class);
    add("session", () -> SessionCommand.class);
    add("batch", () -> BatchCommand.class);
    add("send", () -> SendCommand.class);
    add("check", () -> CheckCommand.class);
    add("list", () -> ListCommand.class);
    add("describe", () -> DescribeCommand.class);
    add("openrpc", () -> OpenRpcCommand.class);
    add("generate", () -> GenerateCommand.class);
    add("mock", () -> MockCommand.class);
    add("serve", () -> ServeCommand.class);
    add("bridge", () -> BridgeCommand.class);
    add("passwd", () -> PasswdCommand.class);
    add("mcp", () -> new McpCommand());
    add("agents", () -> new AgentsCommand());
    add("completion", () -> CompletionCommand.class);
  }

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the versions of repartee and of Java and exit.")
  boolean version;

  /** The output of {@code --version}. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"repartee " + Repartee.version() + " (Java " + Runtime.version() + ")"};
    }
  }

  /** Runs the command and returns its exit code, one of {@link Exit}. */
  static int run(Stdio stdio, String... args) {
    return parser(stdio, args).execute(args);
  }

  /** Returns the parser of a command line. */
  static CommandLine parser(Stdio stdio, String... args) {
    return new Commands()
        .parser(stdio, List.of(args))
        .setOut(HelpLayout.writer(stdio.help()))
        .setHelpFactory(HelpLayout::new)
        .setColorScheme(Help.defaultColorScheme(ansi(stdio)))
        .setUsageHelpWidth(HelpLayout.WIDTH)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(Duration.class, new Durations())
        .setExpandAtFiles(false) // an argument may start with @
        .setParameterExceptionHandler((e, words) -> refused(stdio, e))
        .setExecutionExceptionHandler(
            (e, line, parsed) -> failed(stdio, e, parsed.originalArgs().get(0)));
  }

  /** Returns the help of all commands. It has no layout, which would change the texts. */
  static List<CommandText> texts(Stdio stdio) {
    return CommandText.all(new Commands().parser(stdio, List.of()));
  }

  private static Help.Ansi ansi(Stdio stdio) {
    boolean colour = stdio.terminal() && System.getenv("NO_COLOR") == null;
    return colour ? Help.Ansi.ON : Help.Ansi.OFF;
  }

  private static int refused(Stdio stdio, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String sentence = sentence(e);
    stdio.say(sentence.endsWith("?") ? sentence : sentence + "; see '" + command + " --help'");
    return Exit.USAGE;
  }

  private static String sentence(ParameterException e) {
    List<String> unknown = e instanceof UnmatchedArgumentException unmatched
        ? unmatched.getUnmatched()
        : e.getCommandLine().getUnmatchedArguments();
    if (!unknown.isEmpty()) { // rather than a missing option, which may be misspelled
      String word = unknown.get(0);
      if (word.startsWith("-")) {
        word = word.replaceFirst("=.*", ""); // the value may be a secret
      }
      boolean above = !e.getCommandLine().getSubcommands().isEmpty();
      String kind = word.startsWith("-") ? "option" : above ? "command" : "argument";
      boolean serves = kind.equals("argument")
          && word.indexOf(':') > 0
          && e.getCommandLine().getCommandSpec().findOption("--listen") != null;
      Set<String> known = kind.equals("command")
          ? e.getCommandLine().getSubcommands().keySet()
          : e.getCommandLine().getCommandSpec().optionsMap().keySet();
      return "unknown " + kind + " '" + Endpoint.shown(word) + "'"
          + (kind.equals("argument") ? "" : Suggestion.of(word, known))
          + (serves ? "; an endpoint to serve at is an option: --listen URI" : "");
    }
    return Failure.reason(e);
  }

  /** Reports the failure of a command on standard error, and returns its exit code. */
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
