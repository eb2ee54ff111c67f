package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.terminal.Durations;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "300ms, PT0.3S",
    "2s, PT2S",
    "1m, PT1M",
    "24h, PT24H",
    "5, PT5S",
    "1.5, PT1.5S",
    "0.5m, PT30S",
    "0.1ms, PT0.0001S"
  })
  void aNumberWithAUnitOrInSeconds(String text, String duration) {
    assertThat(new Durations().convert(text)).hasToString(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5x",
        "500us",
        "-5",
        "+5",
        "1e3",
        "1,5",
        ".5",
        "5 s",
        "0",
        "0ms",
        "25h",
        "999999999999h",
        "9999999999999999999999"
      })
  void anythingElseIsRefusedByName(String text) {
    assertThatThrownBy(() -> new Durations().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
