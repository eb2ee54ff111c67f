package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UriTemplateTest {
  @Test
  void variablesHaveTheirDecodedValues() {
    UriTemplate template = new UriTemplate("db://{table}/rows/{id}");
    assertThat(template.names()).containsExactly("table", "id");
    assertThat(template.match("db://caf%C3%A9/rows/1+1"))
        .isEqualTo(Map.of("table", "caf\u00e9", "id", "1+1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "db://a/b/rows/1",
        "db:///rows/1",
        "db://a/rows/1/2",
        "db://a/rows/1?x",
        "db://%zz/rows/1"
      })
  void aUriThatDoesNotMatchHasNoVariables(String uri) {
    assertThat(new UriTemplate("db://{table}/rows/{id}").match(uri)).isNull();
  }

  @Test
  void aReservedVariableMayContainSlashes() {
    assertThat(new UriTemplate("file:///{+path}").match("file:///a/b.txt"))
        .isEqualTo(Map.of("path", "a/b.txt"));
  }

  @ParameterizedTest
  @CsvSource({
    "f://{name}.{ext},f://a.tar.gz,'{name=a.tar, ext=gz}'",
    "date://{y}-{m}-{d},date://1-2-3-4,'{y=1-2, m=3, d=4}'",
    "x://{a}-{+b},x://a-b/c-d,'{a=a, b=b/c-d}'",
    "x://{+a}-{b},x://a-b/c-d,'{a=a-b/c, b=d}'",
    "x://{+a}/info,x://a/info/info,'{a=a/info}'",
    "x://{a}.{b},x://.a,",
    "x://{a}.{b},x://a.,",
    "x://{a}ab,x://ab,",
    "x://{a}aba{b},x://xabaaba,'{a=x, b=aba}'",
    "x://{a}aba{b},x://xabab,'{a=x, b=b}'",
    "x://one,x://one,{}",
    "x://one,x://one/two,"
  })
  void theFirstVariableIsAsLongAsItCanBe(String template, String uri, @Nullable String variables) {
    Map<String, String> found = new UriTemplate(template).match(uri);
    assertThat(found == null ? null : found.toString()).isEqualTo(variables);
  }

  /** A regular expression with backtracking would not terminate here in practice. */
  @Test
  @Timeout(20)
  void matchingTakesTimeLinearInTheLength() {
    int most = UriTemplate.MAX_URI;
    UriTemplate template = new UriTemplate("date://{a}-{b}-{c}-{d}-{e}-{f}-{g}");
    for (int i = 0; i < 20; i++) {
      assertThat(template.match("date://" + "-".repeat(most - 8) + "/")).isNull();
    }
    assertThat(template.match("date://" + "-".repeat(most - 7))).isNotNull();
    assertThat(template.match("date://" + "-".repeat(most - 6))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..%2f..%2Fetc%2fpasswd",
        "a%00b",
        "a%0d%0ab",
        "a%7Fb",
        "a%c2%85b",
        "%ff",
        "%c0%af",
        "%ed%a0%80",
        "\ud800",
        "a\nb",
        "%",
        "%4",
        "%+1"
      })
  void noVariableContainsASlashAControlCharacterOrInvalidUtf8(String part) {
    assertThat(new UriTemplate("notes://{name}").match("notes://" + part)).isNull();
    Map<String, String> reserved = new UriTemplate("notes://{+name}").match("notes://" + part);
    if (part.contains("etc")) {
      assertThat(reserved).isEqualTo(Map.of("name", "../../etc/passwd"));
    } else {
      assertThat(reserved).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x://{a",
        "x://a}",
        "x://{?a}",
        "x://{a,b}",
        "x://{a}/{a}",
        "x://{a}{b}",
        "x://{a}{+b}"
      })
  void theErrorForAnInvalidTemplateNamesIt(String template) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new UriTemplate(template))
        .withMessageContaining(template);
  }
}
