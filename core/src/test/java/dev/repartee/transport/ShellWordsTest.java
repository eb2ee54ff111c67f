package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.ShellWords;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordsTest {
  @Test
  void wordsAreSplitAsPosixQuotes() {
    assertThat(ShellWords.split("  a \t b\nc ")).isEqualTo(List.of("a", "b", "c"));
    assertThat(ShellWords.split("'a b' \"c d\"e\\ f")).isEqualTo(List.of("a b", "c de f"));
    assertThat(ShellWords.split("'\\n\"' \"\\n\\\"\\\\\\$\""))
        .isEqualTo(List.of("\\n\"", "\\n\"\\$"));
    assertThat(ShellWords.split("'' \"\"")).isEqualTo(List.of("", ""));
    assertThat(ShellWords.split("a\\\nb \"c\\\nd\"")).isEqualTo(List.of("ab", "cd"));
  }

  @Test
  void nothingIsExpandedOrDecoded() {
    assertThat(ShellWords.split("$HOME *.c a%20b ; | > x # y"))
        .isEqualTo(List.of("$HOME", "*.c", "a%20b", ";", "|", ">", "x", "#", "y"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a 'b", "a \"b", "a \"b\\\"", "a\\"})
  void anUnfinishedCommandIsRefused(String text) {
    assertThatThrownBy(() -> ShellWords.split(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  void aJsonArrayIsTheExactCommand() {
    Endpoint exact = Endpoint.parse("exec:[\"a b\", \"\\u0063'\", \"\"]");
    assertThat(ExecTransport.words(exact)).isEqualTo(List.of("a b", "c'", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"exec:", "exec:[]", "exec:[1]", "exec:[\"a\"", "exec:''"})
  void aCommandThatNamesNoProgramIsRefused(String uri) {
    assertThatThrownBy(() -> ExecTransport.words(Endpoint.parse(uri)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(uri);
  }
}
