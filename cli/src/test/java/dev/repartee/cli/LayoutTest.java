package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.terminal.Layout;
import dev.repartee.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayoutTest {
  private static String print(Layout layout, String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    layout.write(Json.parse(text), out);
    return out.toString(UTF_8);
  }

  @Test
  void indentedGivesEachElementAndMemberALine() throws IOException {
    assertThat(print(Layout.INDENTED, "{\"a\":[1,{\"b\" : null}] , \"c\":{ },\"d\":[\n]}"))
        .isEqualTo("""
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
  void oneLineDropsWhiteSpaceBetweenTokens() throws IOException {
    assertThat(print(Layout.ONE_LINE, "{\r\n\t\"a b\" : [ 1 , 2 ] , \"c\" : { } }"))
        .isEqualTo("{\"a b\":[1,2],\"c\":{}}");
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
  void literalsStayAsTheyCame(String literal) throws IOException {
    assertThat(print(Layout.INDENTED, literal)).isEqualTo(literal);
    assertThat(print(Layout.ONE_LINE, literal)).isEqualTo(literal);
  }
}
