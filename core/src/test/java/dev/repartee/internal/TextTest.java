package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {
  @Test
  void aLongTextIsCutBetweenCharacters() {
    assertThat(Text.shortened("abc", 3)).isEqualTo("abc");
    assertThat(Text.shortened("abcd", 3)).isEqualTo("abc...");
    assertThat(Text.shortened("ab\uD83D\uDE00d", 3)).isEqualTo("ab...");
    assertThat(Text.shortened("ab\uD83D\uDE00d", 4)).isEqualTo("ab\uD83D\uDE00...");
    assertThat(Text.shortened("a", 0)).isEqualTo("...");
  }

  @Test
  void aNumberHasUpTo18DecimalDigits() {
    assertThat(Text.number("0")).isZero();
    assertThat(Text.number("007")).isEqualTo(7);
    assertThat(Text.number("999999999999999999")).isEqualTo(999_999_999_999_999_999L);
    for (String bad : new String[] {"", "-1", "+1", "1.0", "1e3", " 1", "\u0661", "1".repeat(19)}) {
      assertThat(Text.number(bad)).as(bad).isEqualTo(-1);
    }
  }
}
