package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NamesTest {
  private final Names names = new Names(Words::lowerCamel, Set.of("class"));

  @Test
  void aNameWithoutLettersIsUnnamed() {
    assertThat(names.unique("")).isEqualTo("unnamed");
    assertThat(names.unique("*/")).isEqualTo("unnamed2");
  }

  @Test
  void aLongNameIsCut() {
    assertThat(names.unique("a".repeat(101))).isEqualTo("a".repeat(100));
    assertThat(names.unique("a".repeat(102))).isEqualTo("a".repeat(100) + '2');
    assertThat(names.unique("b".repeat(99) + "\ud840\udc00")).isEqualTo("b".repeat(99));
  }

  @Test
  void aNameThatStartsWithADigitGetsAPrefix() {
    assertThat(names.unique("2nd param")).isEqualTo("_2ndParam");
  }

  @Test
  void aReservedNameGetsASuffix() {
    assertThat(names.unique("class")).isEqualTo("class_");
    assertThat(names.unique("Class")).isEqualTo("class_2");
  }

  @Test
  void equalNamesAreNumberedWithoutRegardToCase() {
    assertThat(Stream.of("hash", "Hash", "HASH", "hash2", "ha-sh", "hASH").map(names::unique))
        .containsExactly("hash", "hash2", "hash3", "hash22", "haSh4", "hASH5");
  }

  @Test
  void reservedIdentifiersAreNotUsed() {
    names.reserve("Order");
    assertThat(names.unique("order")).isEqualTo("order2");
  }
}
