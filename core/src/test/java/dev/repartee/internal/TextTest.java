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
}
