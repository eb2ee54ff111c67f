package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0x1B, 0x7F, 0x9B, 0x061C, 0x200B, 0x200E, 0x2028, 0x2029, 0x202E, 0x2066, 0xFEFF, 0x3164,
        0xE0041
      })
  void aCharacterThatATerminalObeysOrDoesNotShowIsAQuestionMark(int character) {
    assertThat(Printable.text("a" + Character.toString(character) + "b")).isEqualTo("a?b");
  }

  @Test
  void lineEndsAndTabsAreBlanksAndOtherTextStays() {
    assertThat(Printable.text("one\r\ntwo\tthree")).isEqualTo("one  two three");
    assertThat(Printable.text("Größe 漢字 \uD83D\uDE00\uFE0F"))
        .isEqualTo("Größe 漢字 \uD83D\uDE00\uFE0F");
  }
}
