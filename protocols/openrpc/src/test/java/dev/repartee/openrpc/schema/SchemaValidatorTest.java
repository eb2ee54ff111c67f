package dev.repartee.openrpc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of bounds are in the module mcp. */
class SchemaValidatorTest {
  private static String fault(String schema, String value) {
    return SchemaValidator.ofArguments(Json.parse(schema.replace('\'', '"')))
        .fault(Json.parse(value), () -> {});
  }

  /** In these versions the library compares the node of the reference by identity. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft/2020-12/schema"
      })
  void referencesAreFollowedInEachVersionOfJsonSchema(String version) {
    String schema = "{'$schema':'" + version + "','properties':{'a':{'$ref':'#/definitions/A'}},"
        + "'definitions':{'A':{'type':'object'}}}";
    assertThat(fault(schema, "{\"a\":5}"))
        .isEqualTo("/a: Value is [integer] but should be [object]");
    assertThat(fault(schema, "{\"a\":{}}")).isNull();
  }

  @Test
  void aFaultShowsAllDigitsOfANumber() {
    assertThat(fault("{'maximum':900}", "1000"))
        .isEqualTo("the arguments: 1000 is greater than 900");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'maximum':9};11;the value is greater than 9",
        "{'exclusiveMaximum':9};11;the value is greater or equal to 9",
        "{'minimum':900};11;the value is less than 900",
        "{'exclusiveMinimum':900};11;the value is less than or equal to 900",
        "{'multipleOf':3};11;the value is not multiple of 3",
        "{'maxLength':3};'11 is 11';the value is longer than 3 characters",
        "{'minLength':30};'11 is 11';the value is shorter than 30 characters",
        "{'pattern':'^a'};'11 is 11';the value does not match the regular expression ^a",
        "{'enum':['a']};'11';Expected a",
        "{'uniqueItems':true};[11,11];Array contains non-unique item at index [1]"
      })
  void aFaultMayLeaveOutTheValue(String schema, String value, String reason) {
    assertThat(SchemaValidator.ofValues(Json.parse(schema.replace('\'', '"')))
            .faults(Json.parse(value.replace('\'', '"')), () -> {}))
        .containsExactly(new SchemaValidator.Fault("", reason));
  }

  /** The time of the match is a high power of the length of the name. */
  @Test
  void theTimeOfAPatternOfNamesIsLimited() {
    Json schema = Json.parse("""
        {"patternProperties":{"^(.*a){12}$":{"type":"string"}},"additionalProperties":false}""");
    SchemaValidator validator = SchemaValidator.ofArguments(schema);
    assertThatThrownBy(() -> validator.faults(Json.of(Map.of("a".repeat(100) + "!", 1)), () -> {}))
        .isInstanceOf(Effort.ExceededException.class);
    assertThat(validator.faults(Json.of(Map.of("a".repeat(12), "x")), () -> {})).isEmpty();
    assertThat(validator.faults(Json.of(Map.of("a".repeat(12), 1)), () -> {})).hasSize(1);
    assertThat(validator.faults(Json.of(Map.of("b", 1)), () -> {})).hasSize(1);
  }

  /** The matches read no character, and need up to a billion steps. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "^(((){999}){999}){99}$",
        "^((?:(?<n>){999}){999}){99}$",
        "^((?i:(?>){999}){999}){99}$",
        "^(((?=){999}){999}){99}$",
        "^((^{999}){9999}){99}$",
        "[(]?(((){999}){999}){99}",
        "[]\\[]?(((){999}){999}){99}",
        "[^]\\[]?(((){999}){999}){99}",
        "\\Q[\\E?(((){999}){999}){99}",
        "\\c[?(((){999}){999}){99}",
        "\\[?(((){999}){999}){99}",
        "(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)"
            + "(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?:^|)(?!)",
      })
  void theTimeOfAPatternThatReadsNoCharacterIsLimited(String pattern) {
    SchemaValidator validator = SchemaValidator.ofArguments(Json.of(Map.of("pattern", pattern)));
    assertThatThrownBy(() -> validator.faults(Json.of(""), () -> {}))
        .isInstanceOf(Effort.ExceededException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "^(a|b){2}$ ab ac",
        "^[](|]+$ ](| (=",
        "^[^](|]+$ ?= (=",
        "^[a[]b]c]+$ a]bc (=",
        "^[\\](|]+$ ](| (=",
        "^\\(|b$ (x ?=",
        "^\\Q(|[\\E(c)$ (|[c (|[=",
        "^(?<n>a)(?<=(a|b))\\1\\k<n>$ aaa aab",
        "^(?i)a(?-i:b|c)$ Ab AB",
        "^(?!.*(?:x|y)).(?=.$) ab ax",
        "^\\p{L}{2}\\x{61}$ zza zzb",
        "^\\cA?(b)$ b c",
      })
  void marksDoNotChangeTheMeaningOfAPattern(String pattern, String match, String other) {
    SchemaValidator validator = SchemaValidator.ofArguments(Json.of(Map.of("pattern", pattern)));
    assertThat(validator.faults(Json.of(match), () -> {})).isEmpty();
    assertThat(validator.faults(Json.of(other), () -> {})).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(*a)", "(|+)", "^{2147483647}$", "(?x)[#](a)"})
  void aPatternThatIsNotValidMakesTheSchemaInvalid(String pattern) {
    SchemaValidator validator = SchemaValidator.ofArguments(Json.of(Map.of("pattern", pattern)));
    assertThatThrownBy(() -> validator.faults(Json.of(""), () -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCallerMayLimitTheTime() {
    SchemaValidator validator = SchemaValidator.ofArguments(Json.parse("{\"type\":\"object\"}"));
    assertThatThrownBy(() -> validator.faults(Json.EMPTY_OBJECT, Duration.ZERO, () -> {}))
        .isInstanceOf(Effort.ExceededException.class);
  }
}
