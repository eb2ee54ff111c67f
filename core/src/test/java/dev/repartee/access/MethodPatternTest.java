package dev.repartee.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodPatternTest {
  @ParameterizedTest
  @CsvSource({
    "price, price, true",
    "price, prices, false",
    "price, Price, false",
    "*, '', true",
    "*, anything, true",
    "order*, order, true",
    "order*, order.place, true",
    "order*, reorder, false",
    "*.get, order.get, true",
    "*.get, order.gets, false",
    "a*a, a, false",
    "a*a, aa, true",
    "a*b*c, a-b-c, true",
    "a*b*c, a-c-b, false",
    "a*bc*c, abc, false",
    "**, x, true",
    "a**b, ab, true",
    "*ab*ab*, abab, true",
    "*ab*ab*, aba, false",
    "*ab, aab, true",
    "a.c, abc, false",
    "'[a-z]', a, false",
    "'', '', true",
    "'', x, false",
  })
  void anAsteriskStandsForAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(MethodPattern.of(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void lineEndsAreCharactersToo() {
    assertThat(MethodPattern.of("internal*").matches("internal\n.get")).isTrue();
  }

  /** A regular expression with these asterisks would backtrack for hours. */
  @Test
  void aLongNameDoesNotBacktrack() {
    MethodPattern pattern = MethodPattern.of("*a".repeat(20) + "*b");
    assertThat(pattern.matches("a".repeat(1 << 20))).isFalse();
  }
}
