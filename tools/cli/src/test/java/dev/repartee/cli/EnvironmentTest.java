package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The variables of a child process are not shown. */
class EnvironmentTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mcp tools URI",
        "mcp listen URI",
        "mcp serve URI",
        "call URI ping",
        "check URI --timeout 0.2",
        "call URI#nonsense=1 ping"
      })
  void noErrorShowsAVariable(String command) {
    Outcome outcome =
        Captured.run("", command.replace("URI", "exec:true#env=TOKEN=geheim").split(" "));

    assertThat(outcome.out() + outcome.err()).doesNotContain("geheim");
    assertThat(outcome.err()).contains("exec:true");
  }
}
