package dev.repartee.openrpc.mock;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The budget of a document counts steps, which do not depend on the speed of the machine. */
class BoundsTest {
  @Test
  void validationsEndAfterANumberOfSteps() {
    Bounds bounds = new Bounds();
    bounds.begin("/methods/0");
    for (int i = 0; i < 200_000; i++) {
      bounds.look();
    }
    assertThatThrownBy(bounds::look)
        .isInstanceOf(NoValueException.class)
        .hasMessage("/methods/0: the validation of the samples takes too long");
  }

  @Test
  void aLargeSchemaCountsByItsSize() {
    Bounds bounds = new Bounds();
    for (int i = 0; i < 389; i++) {
      bounds.translation(2 << 20);
    }
    assertThatThrownBy(() -> bounds.translation(2 << 20)).isInstanceOf(NoValueException.class);
  }
}
