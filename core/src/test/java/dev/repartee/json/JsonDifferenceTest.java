package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDifferenceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1|1.0",
        "100|1e2",
        "0|-0.0",
        "1e400|10E399",
        "\"\\u0041\\/\"|\"A/\"",
        "[1,2]|[ 1 , 2 ]",
        "{\"a\":1,\"b\":[{}]}|{ \"b\" : [ { } ], \"a\" : 1.0 }",
        "{\"a\":2,\"a\":1}|{\"a\":1}",
        "1e99999999999|1e99999999999",
        "null|null"
      })
  void textsOfTheSameValueDoNotDiffer(String one, String other) {
    assertThat(JsonDifference.between(Json.parse(one), Json.parse(other))).isNull();
    assertThat(Json.parse(other).isSameValue(Json.parse(one))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1|2|at $: expected 1, got 2",
        "1|\"1\"|at $: expected 1, got \"1\"",
        "true|false|at $: expected true, got false",
        "null|{}|at $: expected null, got {}",
        "{\"a\":{\"b\":[0,{\"c\":1}]}}|{\"a\":{\"b\":[0,{\"c\":2}]}}"
            + "|at $.a.b[1].c: expected 1, got 2",
        "{\"a\":1,\"id\":7}|{\"a\":1}|at $.id: expected 7, got nothing",
        "{\"a\":1}|{\"a\":1,\"more\":[]}|at $.more: expected nothing, got []",
        "[1,2,3]|[1,2]|at $[2]: expected 3, got nothing",
        "[1]|[1,2]|at $[1]: expected nothing, got 2",
        "{\"a b\":1,\"\":2}|{\"a b\":1,\"\":3}|at $[\"\"]: expected 2, got 3",
        "{\"a'b\":1}|{\"a'b\":0}|at $[\"a'b\"]: expected 1, got 0",
        "1e99999999999|1e99999999998|at $: expected 1e99999999999, got 1e99999999998"
      })
  void theFirstDifferenceIsNamedByItsPath(String expected, String actual, String sentence) {
    assertThat(JsonDifference.between(Json.parse(expected), Json.parse(actual)))
        .hasToString(sentence);
    assertThat(Json.parse(expected).isSameValue(Json.parse(actual))).isFalse();
  }

  @Test
  void aLongValueIsAbridgedInTheSentenceOnly() {
    Json expected = Json.of("x".repeat(1_000));
    JsonDifference found =
        Objects.requireNonNull(JsonDifference.between(expected, Json.of("y".repeat(1_000))));
    assertThat(found.toString()).hasSizeLessThan(700);
    assertThat(found.expected()).isEqualTo(expected);
    assertThat(found.path()).isEqualTo("$");
  }
}
