package dev.repartee.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormFieldTest {
  private static FormField field(String schema) {
    return new FormField("f", Json.parse(schema.replace('\'', '"')), true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'type':'string'} | two words | \"'two words'\"",
        "{'type':'string'} | 5 | '5'",
        "{'type':'string','format':'email'} | ann@example.com | 'ann@example.com'",
        "{'type':'string','format':'date'} | 2026-02-28 | '2026-02-28'",
        "{'type':'string','format':'date-time'} | 2026-02-28T10:00:00Z | '2026-02-28T10:00:00Z'",
        "{'type':'string','format':'uri'} | https://a.example/ | 'https://a.example/'",
        "{'type':'number'} | -1.50 | -1.50",
        "{'type':'integer'} | 12 | 12",
        "{'type':'boolean'} | Yes | true",
        "{'oneOf':[{'const':'r','title':'Red'},{'const':'g','title':'Green'}]} | green | 'g'",
        "{'enum':['1','2','3'],'enumNames':['one','two','three']} | 2 | '2'",
        "{'enum':['a','b']} | 2 | 'b'",
        "{'type':'array','items':{'enum':['a','b','c']}} | 1, c, a | ['a','c']",
        "{'type':'array','items':{'anyOf':[{'const':'x','title':'X ray'}]}} | x RAY | ['x']"
      })
  void aLineThatFitsIsAValue(String schema, String line, String value) {
    assertThat(field(schema).value(line)).isEqualTo(Json.parse(value.replace('\'', '"')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'type':'string','minLength':3} | ab | at least 3",
        "{'type':'string','maxLength':1} | ab | at most 1",
        "{'type':'string','format':'email'} | ann | not have the format email",
        "{'type':'string','format':'date'} | 2026-02-30 | not have the format date",
        "{'type':'string','format':'date-time'} | today | not have the format date-time",
        "{'type':'string','format':'uri'} | there | not have the format uri",
        "{'type':'number'} | '1' | not a number",
        "{'type':'number'} | 1,5 | not a number",
        "{'type':'integer'} | 1.5 | not an integer",
        "{'type':'integer','maximum':9} | 10 | at most 9",
        "{'type':'number','minimum':1e1999999999} | 10 | at least 1E+1999999999",
        "{'type':'number','maximum':-1e1999999999} | 10 | at most -1E+1999999999",
        "{'type':'number','minimum':1e6} | 10 | at least 1000000",
        "{'type':'boolean'} | perhaps | yes or no",
        "{'enum':['a','b']} | 3 | not a choice",
        "{'type':'array','minItems':2,'items':{'enum':['a','b']}} | a | at least 2",
        "{'type':'array','items':{'enum':['a','b']}} | a,z | not a choice"
      })
  void anotherLineIsExplained(String schema, String line, String reason) {
    assertThatThrownBy(() -> field(schema).value(line)).hasMessageContaining(reason);
  }

  @Test
  void theQuestionShowsTheTitleTheFormAndTheDefault() {
    assertThat(new FormField("f", Json.parse("""
        {"type":"array","title":"Toppings","default":["o"],\
        "items":{"anyOf":[{"const":"o","title":"Olives"}]}}"""), false).question())
        .isEqualTo("Toppings (numbers or names, separated by commas, optional) [Olives]:");
    assertThat(field("{'type':'boolean','default':true}").question())
        .isEqualTo("f (yes or no) [yes]:");
  }
}
