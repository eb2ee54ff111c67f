package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The help of all commands. */
class HelpTest {
  private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z]+)  +\\S");

  @Test
  void noHelpHasAnUnknownVariableOrALineThatEndsInsideOfAUri() {
    List<String> checked = new ArrayList<>();
    check(List.of(), checked);
    assertThat(checked).contains("call", "mcp servers", "agents run").hasSizeGreaterThan(20);
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
    assertThat(help.lines().mapToInt(String::length).max().orElse(0)).as(name).isLessThan(101);
    if (command.size() < 2) {
      COMMAND.matcher(help).results().map(found -> found.group(1)).forEach(sub -> {
        List<String> below = new ArrayList<>(command);
        below.add(sub);
        check(below, checked);
      });
    }
  }
}
