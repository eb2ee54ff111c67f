package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  private final Captured captured = new Captured("");

  private int run(String line) {
    return Main.run(captured.stdio(), line.isEmpty() ? new String[0] : line.split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "call --help",
        "notify --help",
        "batch --help",
        "send --help",
        "serve --help",
        "mcp --help",
        "mcp tools --help",
        "mcp call --help",
        "mcp resources --help",
        "mcp read --help",
        "mcp prompts --help",
        "mcp get --help",
        "mcp complete --help",
        "mcp listen --help",
        "mcp servers --help",
        "mcp serve --help"
      })
  void helpShowsExamplesOnStandardOutput(String line) {
    assertThat(run(line)).isZero();
    assertThat(captured.out()).startsWith("Usage: repartee").contains("Examples:\n  repartee ");
    assertThat(captured.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "serve", "bridge"})
  void theHelpHasAnExampleOfEachTransportToOtherMachines(String command) {
    assertThat(run(command + " --help")).isZero();
    assertThat(captured.out().replaceFirst("(?s).*Examples:", ""))
        .contains(" nats://", "amqp://guest@", "ssh://");
  }

  @ParameterizedTest
  @CsvSource({
    "serve, true",
    "mock, true",
    "bridge --to nats://127.0.0.1/math, true",
    "mcp serve, true",
    "agents serve, true",
    "agents worker, true",
    "mcp tools, false",
    "call tcp://127.0.0.1:1 bridge, false",
  })
  void aCommandThatServesOthersHasNoWatchdogOverItsMemory(String line, boolean serves) {
    assertThat(Main.serves(line.split(" "))).isEqualTo(serves);
  }

  @Test
  void theHelpNamesEveryCommand() {
    run("--help");
    assertThat(captured.out())
        .contains("\n  call ", "\n  notify ", "\n  batch ", "\n  send ", "\n  serve ", "\n  mcp ");
  }

  @Test
  void theVersionNamesReparteeAndJava() {
    assertThat(run("--version")).isZero();
    assertThat(captured.out())
        .matches("repartee \\d+\\.\\d+\\S* \\(Java \\S+\\)\\R")
        .contains("(Java " + Runtime.version() + ")");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                                   | subcommand",
        "dance                                | unknown command 'dance'",
        "--dance                              | unknown option '--dance'; see 'repartee --help'",
        "cal mem:x m                          | unknown command 'cal'; did you mean 'call'?",
        "mcp tool http://127.0.0.1:1/         | unknown command 'tool'; did you mean 'tools'?",
        "agents rum                           | unknown command 'rum'; did you mean 'run'?",
        "serve --lisen tcp://127.0.0.1:0      | unknown option '--lisen'; did you mean '--listen'?",
        "bridge --listen stdio: --too mem:x   | unknown option '--too'; did you mean '--to'?",
        "call                                 | 'URI', 'METHOD'",
        "call tcp://h:1 m --timeout soon      | 'soon' is not a duration",
        "call tcp://h:1 m --params 5          | --params holds 5",
        "call tcp://h:1 m --named a           | 'a' is not NAME=VALUE",
        "notify --dance mem:x m               | unknown option '--dance'",
        "call tcp://h:1#lenient=nonsense m    | unknown lenience 'nonsense'",
        "notify tcp://h:1#lenient=nonsense m  | unknown lenience 'nonsense'",
        "batch                                | 'URI'",
        "send mem:x --silence never           | 'never' is not a duration",
        "serve --classpath lib.jar            | name the class with --class",
        "serve tcp://h:1                      | unknown argument 'tcp://h:1'; an endpoint to serve",
        "serve amqp://u:secret@h/q            | 'amqp://...@h/q'; an endpoint to serve at is",
        "serve now                            | unknown argument 'now'; see",
        "serve --listen                       | '--listen'",
        "mcp                                  | subcommand",
        "mcp dance                            | unknown command 'dance'",
        "mcp tools                            | URI",
        "mcp call mem:x                       | TOOL",
        "mcp call mem:x t --log-level loud    | loud",
        "mcp serve                            | the URI of a service, or a --class",
        "mcp serve --class a.B tcp://h:1      | 'tcp://h:1' and a --class are two services",
        "mcp serve mem:x --listen 127.0.0.1:1 | did you mean"
      })
  void anInvalidCommandLineExitsWithTwoAndOneSentence(String line, String sentence) {
    assertThat(run(line)).isEqualTo(2);
    assertThat(captured.err()).startsWith("repartee: ").contains(sentence).hasLineCount(1);
    assertThat(captured.out()).isEmpty();
  }
}
