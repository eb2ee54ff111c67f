package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PerNameTest {
  private final PerName<StringBuilder> table =
      new PerName<>(2, StringBuilder::new, new StringBuilder("others"));

  @Test
  void theFirstNamesHaveTheirOwnValuesAndTheOthersShareOne() {
    StringBuilder one = table.of("one");
    assertThat(one).hasToString("one");
    assertThat(table.of("two")).hasToString("two");
    assertThat(table.of("three")).hasToString("others").isSameAs(table.of("four"));
    assertThat(table.of("one")).isSameAs(one);
  }

  @Test
  void aNameThatIsTooLongHasNoValueOfItsOwn() {
    assertThat(table.of("x".repeat(201))).hasToString("others");
    assertThat(table.of("x".repeat(200))).hasToString("x".repeat(200));
  }

  @Test
  void askingForAKnownNameAddsNone() {
    assertThat(table.known("one")).hasToString("others");
    StringBuilder one = table.of("one");
    assertThat(table.known("one")).isSameAs(one);
  }
}
