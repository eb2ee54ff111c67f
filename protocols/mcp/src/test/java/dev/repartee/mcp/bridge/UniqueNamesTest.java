package dev.repartee.mcp.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UniqueNamesTest {
  private final UniqueNames names = new UniqueNames(8);

  @Test
  void invalidCharactersBecomeUnderscores() {
    assertThat(names.of("a/b $é")).isEqualTo("a_b___");
    assertThat(names.of("A-z_0.9")).isEqualTo("A-z_0.9");
    assertThat(names.of("")).isEqualTo("_");
  }

  @Test
  void namesThatAreCutStayUnique() {
    assertThat(names.of("a/b")).isEqualTo("a_b");
    assertThat(names.of("a.b")).isEqualTo("a.b");
    assertThat(names.of("a b")).isEqualTo("a_b_2");
    assertThat(names.of("0123456789")).isEqualTo("01234567");
    assertThat(names.of("01234567x")).isEqualTo("012345_2");
  }

  /** A search for each name from the start would take minutes. */
  @Test
  void manyEqualNamesStayUnique() {
    UniqueNames names = new UniqueNames(100);
    for (int i = 0; i < 200_000; i++) {
      names.of("a");
      names.of("x".repeat(95) + i);
      names.of("x".repeat(95) + i);
    }
    assertThat(names.of("a")).isEqualTo("a_200001");
  }
}
