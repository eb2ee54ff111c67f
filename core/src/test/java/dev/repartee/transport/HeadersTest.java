package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Repartee;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {
  private static final Options SOME = Options.builder()
      .header("Authorization", "Bearer s3cret")
      .header("X-Trace", " 7\t")
      .build();

  @Test
  void headersKeepTheirOrderAndAreStripped() {
    assertThat(SOME.headers().fields().entrySet())
        .hasToString("[Authorization=Bearer s3cret, X-Trace=7]");
    assertThat(Options.DEFAULT.headers().isEmpty()).isTrue();
  }

  @Test
  void theSameNameInAnotherCaseReplaces() {
    assertThat(
            SOME.toBuilder().header("authorization", "none").build().headers().fields())
        .containsOnlyKeys("X-Trace", "authorization")
        .containsEntry("authorization", "none");
  }

  @Test
  void noTextOfOptionsShowsAValue() {
    assertThat(SOME.toString() + SOME.headers()).contains("Authorization").doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:", "a\r\n", "\u00e4"})
  void aNameIsAToken(String name) {
    assertThatThrownBy(() -> Options.builder().header(name, "v").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "' is not a valid header name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3cret\r\nX: y", "s3cret\n", "\0s3cret", "s3cret\u00e4"})
  void aValueThatWouldNotArriveIsRefusedButNotShown(String value) {
    assertThatThrownBy(() -> Options.builder().header("X-Key", value).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("X-Key")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void exactlyTheCharactersOfATokenAreValidInANameAndThePrintableOnesAndATabInAValue() {
    for (char c = 0; c <= 0x100; c++) {
      String text = "a" + c + "z";
      assertThat(isAccepted(text, "v"))
          .as("U+%04X in a name", (int) c)
          .isEqualTo(text.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+"));
      assertThat(isAccepted("X-Key", text))
          .as("U+%04X in a value", (int) c)
          .isEqualTo(text.matches("[\\x20-\\x7E\\t]*"));
    }
  }

  private static boolean isAccepted(String name, String value) {
    try {
      return new Headers(Map.of(name, value)).fields().equals(Map.of(name, value));
    } catch (IllegalArgumentException refused) {
      return false;
    }
  }

  @Test
  void aTransportWithNoPlaceForHeadersRefusesThem() {
    assertThatThrownBy(() -> Repartee.connect("tcp://127.0.0.1:1", SOME))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("tcp: has no place for the headers [Authorization, X-Trace]");
  }
}
