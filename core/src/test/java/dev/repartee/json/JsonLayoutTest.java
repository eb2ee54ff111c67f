package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class JsonLayoutTest {
  @Test
  void indentedGivesEachElementAndMemberALine() {
    Json json = Json.parse("{\"a\":[1,{\"b\" : null}] , \"c\":{ },\"d\":[\n]}");
    assertThat(JsonLayout.INDENTED.text(json)).isEqualTo("""
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": {},
          "d": []
        }""");
  }

  @Test
  void oneLineDropsWhiteSpaceBetweenTokens() {
    Json json = Json.parse("{\r\n\t\"a b\" : [ 1 , 2 ] , \"c\" : { } }");
    assertThat(JsonLayout.ONE_LINE.text(json)).isEqualTo("{\"a b\":[1,2],\"c\":{}}");
  }

  @Test
  void aTextThatIsTooLongIsCutBetweenCharacters() {
    Json json = Json.parse("[1,\"\uD83D\uDE00\"]");
    assertThat(JsonLayout.ONE_LINE.text(json, 8)).isEqualTo(json.toString());
    assertThat(JsonLayout.ONE_LINE.text(json, 6)).isEqualTo("[1,\"\uD83D\uDE00...");
    assertThat(JsonLayout.ONE_LINE.text(json, 5)).isEqualTo("[1,\"...");
    assertThat(JsonLayout.INDENTED.text(json, 4)).isEqualTo("[\n  ...");
    assertThat(JsonLayout.INDENTED.text(json, 0)).isEqualTo("...");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "12345678901234567890.10",
        "-0",
        "1E+2",
        "\"\\u00e9 \\\" \\\\ [ , : {\"",
        "\"é😀\"",
        "true"
      })
  void literalsStayAsTheyCame(String literal) {
    assertThat(JsonLayout.INDENTED.text(Json.parse(literal))).isEqualTo(literal);
    assertThat(JsonLayout.ONE_LINE.text(Json.parse(literal))).isEqualTo(literal);
  }
}
