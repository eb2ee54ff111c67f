package dev.repartee.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text of peers on a terminal. */
class VisibleTest {
  private static final String HEART = "\u2764\ufe0f";

  @Test
  void aVariationSelectorBehindACharacterStays() {
    assertThat(Visible.escaped("a" + HEART + HEART)).isEqualTo("a" + HEART + HEART);
    assertThat(Visible.sentence(HEART + " b")).isEqualTo(HEART + " b");
  }

  @Test
  void aRunOfVariationSelectorsIsShown() {
    assertThat(Visible.escaped("a\ufe0e\ufe0f\ufe0f")).isEqualTo("a\ufe0e\\ufe0f\\ufe0f");
    assertThat(Visible.escaped("\ufe0fa")).isEqualTo("\\ufe0fa");
    assertThat(Visible.sentence("a\ufe0f\ufe0e\ufe0f")).isEqualTo("a\ufe0f??");
  }
}
