package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpellingTest {
  private static final List<String> KNOWN =
      List.of("subtract", "call", "check", "notify", "--params", "--timeout", "getUser", "add");

  @ParameterizedTest
  @CsvSource({
    "substract, subtract",
    "sbutract, subtract",
    "SUBTRACT, subtract",
    "cal, call",
    "chekc, check",
    "--parms, --params",
    "--tiemout, --timeout",
    "getuser, getUser",
    "ADD, add",
  })
  void aWordWithATypingErrorIsRecognized(String word, String meant) {
    assertThat(Spelling.nearest(word, KNOWN)).isEqualTo(meant);
  }

  @ParameterizedTest
  @CsvSource({"ls", "sum", "xyz", "subscribe", "divide", "''", "--limit"})
  void anotherWordIsNotCorrected(String word) {
    assertThat(Spelling.nearest(word, KNOWN)).isNull();
  }

  @Test
  void theClosestWordWinsAndAmongEqualOnesTheFirst() {
    assertThat(Spelling.nearest("calls", List.of("cells", "call", "calla"))).isEqualTo("cells");
    assertThat(Spelling.nearest("prices", List.of("pries", "priced", "prices2", "Prices")))
        .isEqualTo("Prices");
  }

  @Test
  void aWordThatIsTooLongToBeAMistakeIsNotCompared() {
    assertThat(Spelling.nearest("a".repeat(65), List.of("a".repeat(64)))).isNull();
  }
}
