package dev.repartee.cli.access;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.terminal.Failure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaSpecTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/s",
        "calls=1/h",
        "calls=100/s,in-flight=10,bytes=1m/s",
        "in-flight=1",
        "bytes=512K/m",
        "bytes=999999999g/s"
      })
  void limitsAreRead(String value) {
    assertThatNoException().isThrownBy(() -> QuotaSpec.parse(value));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "100           | '100' is no rate such as 100/s",
        "1k/s          | '1k/s' is no rate such as 100/s",
        "0/s           | '0/s' admits nothing",
        "-1/s          | '-1/s' is no rate",
        "calls=        | 'calls=' is no rate",
        "calls=5/d     | 'calls=5/d' is no rate",
        "in-flight=0   | 'in-flight=0' is no number of calls",
        "in-flight=5/s | 'in-flight=5/s' is no number of calls",
        "inflight=5    | 'inflight=5' limits neither calls, in-flight nor bytes",
        "5/s,          | '' is no rate",
        "bytes=1t/s    | 'bytes=1t/s' is no rate such as 1m/s"
      })
  void aFaultNamesThePartAndAnExample(String value, String sentence) {
    assertThatThrownBy(() -> QuotaSpec.parse(value))
        .isInstanceOf(Failure.class)
        .hasMessageStartingWith("--quota: " + sentence)
        .hasMessageEndingWith("; example: --quota calls=100/s,in-flight=10,bytes=1m/s");
  }
}
