package dev.repartee.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from peers on a terminal. */
class VisibleTest {
  private static final String HEART = "\u2764\ufe0f";

  @Test
  void aVariationSelectorBehindACharacterStays() {
    assertThat(Visible.escaped("a" + HEART + HEART)).isEqualTo("a" + HEART + HEART);
    assertThat(Visible.sentence(HEART + " b")).isEqualTo(HEART + " b");
  }

  @Test
  void aRunOfVariationSelectorsIsShown() {
    assertThat(Visible.escaped("\u2764\ufe0e\ufe0f\ufe0f")).isEqualTo("\u2764\ufe0e\\ufe0f\\ufe0f");
    assertThat(Visible.escaped("\ufe0fa")).isEqualTo("\\ufe0fa");
    assertThat(Visible.sentence(HEART + "\ufe0e\ufe0f")).isEqualTo(HEART + "??");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1\ufe0f\u20e3", "\u2139\ufe0f", "\u203c\ufe0e", "\ud83c\udd70\ufe0f"})
  void theVariationSelectorOfAnEmojiStays(String emoji) {
    assertThat(Visible.escaped(emoji)).isEqualTo(emoji);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a\ufe0f", "1\ufe0f", "\u2800\ufe0f", "\u00e9\ufe0e", "\ufffc", "\u2028", "\u2029"
      })
  void aCharacterWithoutAShapeIsShown(String text) {
    String last = String.format("\\u%04x", (int) text.charAt(text.length() - 1));
    assertThat(Visible.escaped("b" + text)).endsWith(last);
  }
}
