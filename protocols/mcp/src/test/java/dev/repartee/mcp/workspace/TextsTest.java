package dev.repartee.mcp.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextsTest {
  @Test
  void aLongTextIsCutBetweenCharacters() {
    assertThat(Texts.cut("abc", 3)).isEqualTo("abc");
    assertThat(Texts.cut("abcd", 3)).isEqualTo("abc...");
    assertThat(Texts.cut("ab\uD83D\uDE00d", 3)).isEqualTo("ab...");
    assertThat(Texts.cut("ab\uD83D\uDE00d", 4)).isEqualTo("ab\uD83D\uDE00...");
    assertThat(Texts.cut("a", 0)).isEqualTo("...");
  }
}
