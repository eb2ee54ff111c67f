package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UriTemplateTest {
  @Test
  void variablesAreWhatStandsInTheirPlaceDecoded() {
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
  void whatDoesNotFitHasNoVariables(String uri) {
    assertThat(new UriTemplate("db://{table}/rows/{id}").match(uri)).isNull();
  }

  @Test
  void aReservedVariableHoldsSlashes() {
    assertThat(new UriTemplate("file:///{+path}").match("file:///a/b.txt"))
        .isEqualTo(Map.of("path", "a/b.txt"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x://{a", "x://a}", "x://{?a}", "x://{a,b}", "x://{a}/{a}"})
  void aTemplateThatIsNotUnderstoodIsRefusedByName(String template) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new UriTemplate(template))
        .withMessageContaining(template);
  }
}
