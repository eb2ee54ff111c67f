package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonPointerTest {
  @ParameterizedTest
  @CsvSource({"a/b, a~1b", "m~n, m~0n", "~1, ~01", "~0/, ~00~1", "plain, plain"})
  void aTokenStandsForTheNameItWasMadeFrom(String name, String token) {
    assertThat(JsonPointer.escaped(name)).isEqualTo(token);
    assertThat(JsonPointer.unescaped(token)).isEqualTo(name);
  }
}
