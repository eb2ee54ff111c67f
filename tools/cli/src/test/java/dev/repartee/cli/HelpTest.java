package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.ShellWords;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The help of all commands. */
class HelpTest {
  private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z]+)  +\\S");

  /** The examples of a help: the lines with a command, and those that continue them. */
  private static final Pattern EXAMPLE =
      Pattern.compile("(?m)^  (?:echo .*\\|\\s+)?(repartee (?:.*\\\\\\R)*.*)$");

  /** A URI, such as an endpoint or a placeholder of one, or an option. */
  private static final Pattern WHOLE = Pattern.compile("\\S*(://|:[A-Z]|#\\w)\\S*|--[a-z]\\S*");

  @Test
  void noHelpHasAnUnknownVariableOrALineThatEndsInsideOfAUri() {
    List<String> checked = new ArrayList<>();
    check(List.of(), checked);
    assertThat(checked).contains("call", "mcp servers", "agents run").hasSizeGreaterThan(20);
  }

  /** Returns the parsers of all commands, by their names. */
  private static Map<String, CommandLine> commands() {
    Map<String, CommandLine> all = new TreeMap<>();
    collect(Commands.parser(new Captured("").stdio()), all);
    return all;
  }

  private static void collect(CommandLine command, Map<String, CommandLine> all) {
    all.put(command.getCommandSpec().qualifiedName(), command);
    command.getSubcommands().values().forEach(each -> collect(each, all));
  }

  private static String footer(CommandLine command) {
    return String.join("\n", command.getCommandSpec().usageMessage().footer());
  }

  @Test
  void noUriOptionOrExampleIsBrokenInALineOfATerminal() {
    commands().forEach((name, command) -> {
      CommandSpec spec = command.getCommandSpec();
      String footer = footer(command); // the layout replaces it
      StringBuilder texts = new StringBuilder(footer);
      spec.args().forEach(arg -> texts.append(' ').append(String.join(" ", arg.description())));
      spec.options().forEach(option -> texts.append(' ').append(option.longestName()));
      texts.append(' ').append(String.join(" ", spec.usageMessage().description()));
      String help = Captured.run(
              "", (name + " --help").substring("repartee ".length()).split(" "))
          .out();
      Set<String> words = new HashSet<>(List.of(help.split("[\\s=\\[\\]]+")));
      WHOLE.matcher(texts).results().map(MatchResult::group).forEach(word -> {
        for (String part : word.split("[=\\[\\]]+")) {
          assertThat(words).as(name).contains(part);
        }
      });
      footer.lines().filter(line -> line.startsWith("  ")).forEach(line -> {
        assertThat(help.lines()).as(name).contains(line.stripTrailing());
      });
    });
  }

  /** Returns the examples of all helps, each in one line. */
  static Stream<String> examples() {
    return commands().values().stream()
        .flatMap(command -> EXAMPLE.matcher(footer(command)).results())
        .map(found -> found.group(1).replaceAll("\\\\\\R +", "").replaceFirst(" +# .*", ""));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleIsAValidCommandLine(String example) {
    String command = example.replaceFirst(" (\\||> \\S+)( .*)?$", ""); // no redirection
    List<String> words = ShellWords.split(command);
    String[] args = words.subList(1, words.size()).toArray(String[]::new);
    Commands.parser(new Captured("").stdio(), args).parseArgs(args);
    for (String word : args) {
      if (word.matches("[a-z+]+:(//.*|[^ ]*)")
          && !word.matches("(postgresql|judge|notes|camera):.*")) {
        Endpoint endpoint = Endpoint.parse(word);
        assertThat(Transport.of(endpoint).schemes()).contains(endpoint.scheme());
      }
    }
  }

  private static void check(List<String> command, List<String> checked) {
    List<String> words = new ArrayList<>(command);
    words.add("--help");
    String help = Captured.run("", words.toArray(String[]::new)).out();
    String name = String.join(" ", command);
    checked.add(name);
    assertThat(help)
        .as(name)
        .startsWith("Usage: repartee")
        .doesNotContainPattern("\\bnull (and|stand)\\b") // an unknown variable of picocli
        .doesNotContainPattern("(?m)[a-z]:/?$\\R *//?[A-Za-z]")
        .doesNotContain("\uE000", "\uE001", "$${");
    assertThat(help.lines().mapToInt(String::length).max().orElse(0))
        .as(name)
        .isLessThanOrEqualTo(HelpLayout.WIDTH);
    if (command.size() < 2) {
      COMMAND.matcher(help).results().map(found -> found.group(1)).forEach(sub -> {
        List<String> below = new ArrayList<>(command);
        below.add(sub);
        check(below, checked);
      });
    }
  }
}
