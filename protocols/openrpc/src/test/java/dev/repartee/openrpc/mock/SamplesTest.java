package dev.repartee.openrpc.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values for schemas; {@link Samples} validates each before it returns it. */
@Tag("any-jdk")
class SamplesTest {
  private static final String SCHEMA = "/methods/0/result/schema";

  private static OpenRpc document(String schema, String definitions) {
    return OpenRpc.of(Json.parse(("{'openrpc':'1.3.2','info':{'title':'t','version':'1'},"
            + "'methods':[{'name':'m','params':[],'result':{'name':'r','schema':" + schema
            + "}}],'components':{'schemas':{" + definitions + "}}}")
        .replace('\'', '"')));
  }

  private static Json sample(OpenRpc document, long seed) {
    return new Samples(document, seed).value(document.method("m").result());
  }

  private static Json sample(String schema, String definitions) {
    return sample(document(schema, definitions), 1);
  }

  private static Json sample(String schema) {
    return sample(schema, "");
  }

  private static NoValueException unknown(OpenRpc document) {
    return catchThrowableOfType(NoValueException.class, () -> sample(document, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "{}",
        "{'type':'integer','minimum':5,'maximum':5}",
        "{'type':'integer','exclusiveMinimum':5,'maximum':6}",
        "{'type':'integer','maximum':-5000}",
        "{'type':'integer','multipleOf':7,'minimum':100,'maximum':105}",
        "{'type':'integer','minimum':1e30}",
        "{'type':'number','exclusiveMinimum':0,'exclusiveMaximum':1}",
        "{'type':'number','minimum':0.25,'maximum':0.25}",
        "{'type':'number','multipleOf':0.01,'minimum':0.5,'maximum':0.6}",
        "{'allOf':[{'type':'number'},{'type':'integer'}],'minimum':0.5}",
        "{'type':'string','minLength':20,'maxLength':20}",
        "{'type':'string','maxLength':0}",
        "{'type':'string','format':'uuid','minLength':36,'maxLength':36}",
        "{'type':'string','format':'date-time','maxLength':5}",
        "{'type':'array','items':{'type':'boolean'},'minItems':3}",
        "{'type':'array','items':{'enum':[1,2,3]},'minItems':3,'uniqueItems':true}",
        "{'type':'array','items':[{'const':1},{'const':2}],'additionalItems':{'const':3},"
            + "'minItems':4}",
        "{'type':'array','contains':{'const':5}}",
        "{'type':'array','items':false}",
        "{'type':'object','required':['a','b'],'properties':{'a':{'const':1}}}",
        "{'type':'object','required':['x1'],'patternProperties':{'^x':{'const':7}},"
            + "'additionalProperties':false}",
        "{'type':'object','minProperties':3,'additionalProperties':{'type':'integer'}}",
        "{'type':'object','minProperties':1,'properties':{'a':{'const':1}},"
            + "'additionalProperties':false}",
        "{'type':'object','minProperties':2,'patternProperties':{'^[a-f]{8}$':true},"
            + "'additionalProperties':false}",
        "{'type':'object','maxProperties':1,'properties':{'a':true,'b':true}}",
        "{'enum':['a',1,null],'type':'null'}",
        "{'enum':[5,50],'minimum':40}",
        "{'type':'integer','default':'none','examples':['x',-3],'minimum':0}",
        "{'type':'string','not':{'const':''}}",
        "{'type':'integer','default':4,'not':{'const':4}}",
        "{'oneOf':[{'type':'integer'},{'type':'number'}]}",
        "{'oneOf':[{'properties':{'a':{'const':1}}},{'required':['b'],'properties':{'b':true}}]}",
        "{'anyOf':[false,{'const':3}]}",
        "{'allOf':[{'anyOf':[{'const':1},{'const':2}]},{'anyOf':[{'const':2},{'const':3}]}]}",
        "{'type':'object','properties':{'k':{'enum':['a']},'v':{'type':'integer'}},"
            + "'required':['k'],'if':{'properties':{'k':{'const':'a'}}},'then':{'required':['v']}}",
        "{'type':'object','properties':{'a':true,'b':true},'dependencies':{'a':['z']}}",
        "{'type':['null','string'],'minLength':1}",
        "{'required':['a'],'properties':{'a':false}}"
      })
  void aValueFitsTheSchema(String schema) {
    assertThat(sample(schema)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "^0x[0-9a-f]{40}$",
        "^0x[0-9a-f]*$",
        "^0x(0|[1-9a-f][0-9a-f]*)$",
        "^0x(0|[1-9a-f][0-9a-f]{0,63})$",
        "^0x[0-9a-f]{512}$",
        "^[A-Z][a-z]+(?:-[a-z]{2,3})?$",
        "^\\\\d{4}-\\\\d{2}$",
        "^[^a-y0-9]+$",
        "^[\\\\w.+-]+@[\\\\w-]+\\\\.com$",
        "^(a|b)*?c{2,}$",
        "execution reverted.*",
        "^\\\\u0041\\\\x42[\\\\]\\\\-]$",
        "^[-a]+$",
        ""
      })
  void aTextMatchesAPattern(String pattern) {
    Json sample = sample("{'type':'string','pattern':'" + pattern + "'}");
    assertThat(sample.kind()).isEqualTo(Json.Kind.STRING);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "^[a-z]+$    | 20 | 30",
        "^[a-z]+$    | 0  | 1",
        "^x*y*$      | 7  | 7",
        "^[0-9]{2,}$ | 200| 205",
        "^a?b?c?$    | 3  | 3"
      })
  void aTextMatchesAPatternAndHasTheLength(String pattern, int least, int most) {
    Json sample = sample("{'type':'string','pattern':'" + pattern + "','minLength':" + least
        + ",'maxLength':" + most + "}");
    assertThat(sample.text()).hasSizeBetween(least, most);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{'type':'string'} ; [a-z]{3,8}",
        "{'type':'string','minLength':4,'maxLength':4} ; (la|mo|ra|sn)[a-z]{2}",
        "{'type':'string','pattern':'^[A-Za-z0-9_-]+$','minLength':8} ; (mountain|sunshine)",
        "{'type':'string','pattern':'.*'} ; [a-z]{3,8}",
        "{'type':'string','format':'email'} ; [a-z]{3,8}@example.com",
        "{'type':'string','maxLength':2} ; [a-z]{2}",
        "{'type':'string','minLength':30} ; [a-z]{30}"
      })
  void aTextIsAWordIfPossible(String schema, String expected) {
    OpenRpc document = document(schema, "");
    for (int seed = 0; seed < 20; seed++) {
      assertThat(sample(document, seed).text()).matches(expected);
    }
  }

  @Test
  void differentTextsAreFoundAfterTheWords() {
    Json sample =
        sample("{'type':'array','minItems':200,'uniqueItems':true,'items':{'type':'string'}}");
    assertThat(sample.elements()).hasSize(200).doesNotHaveDuplicates();
  }

  @Test
  void aNumberIsNotNegativeUnlessItHasToBe() {
    assertThat(
            Integer.parseInt(sample("{'type':'integer','minimum':-2147483648}").toString()))
        .isBetween(0, 1_000);
    assertThat(sample("{'type':'integer','minimum':-9,'maximum':0}")).hasToString("0");
    assertThat(Integer.parseInt(
            sample("{'type':'integer','minimum':-9,'maximum':-1}").toString()))
        .isBetween(-9, -1);
  }

  @Test
  void aTextMatchesTwoPatterns() {
    assertThat(sample("{'type':'string','allOf':[{'pattern':'^a'},{'pattern':'^[ab]*$'},"
                + "{'pattern':'^ab{3}$'}]}")
            .text())
        .isEqualTo("abbb");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "date-time | 2024-.*T.*Z|  2025-.*T.*Z",
        "date      | 202[45]-[0-9-]{5} | -",
        "uuid      | [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} | -",
        "email     | [a-z]+@example.com | -",
        "uri       | https://example.com/[a-z]+ | -",
        "ipv4      | 192.0.2.[0-9]+ | -"
      })
  void aTextHasTheFormat(String format, String one, String other) {
    assertThat(sample("{'type':'string','format':'" + format + "'}").text())
        .matches(one + "|" + other);
  }

  @Test
  void statedValuesHavePrecedence() {
    assertThat(sample("{'type':'string','default':'d','examples':['e']}").text())
        .isEqualTo("d");
    assertThat(sample("{'type':'string','examples':['e','f']}").text()).isEqualTo("e");
    assertThat(sample("{'type':'string','enum':['g'],'default':'d'}").text()).isEqualTo("g");
    assertThat(sample("{'const':null,'default':1}")).isEqualTo(Json.NULL);
  }

  @Test
  void theFirstAlternativeIsUsed() {
    assertThat(sample("{'anyOf':[{'const':2},{'const':3}]}")).isEqualTo(Json.of(2));
    assertThat(sample("{'oneOf':[{'minimum':5,'maximum':4,'type':'integer'},{'const':3}]}"))
        .isEqualTo(Json.of(3));
  }

  @Test
  void aRecursiveSchemaEndsWithTheSmallestValue() {
    String tree = "'Tree':{'type':'object','required':['children'],'properties':{'children':"
        + "{'type':'array','items':{'$ref':'#/components/schemas/Tree'}},"
        + "'parent':{'$ref':'#/components/schemas/Tree'}}}";
    assertThat(sample("{'$ref':'#/components/schemas/Tree'}", tree))
        .isEqualTo(Json.parse("{\"children\":[]}"));
    String list = "'List':{'type':'object','required':['next'],'properties':{'next':{'oneOf':"
        + "[{'$ref':'#/components/schemas/List'},{'type':'null'}]}}}";
    assertThat(sample("{'$ref':'#/components/schemas/List'}", list))
        .isEqualTo(Json.parse("{\"next\":null}"));
  }

  @Test
  void optionalMembersAreGeneratedToASmallDepth() {
    String level = "{'type':'object','properties':{'x':%s}}";
    String schema = level.formatted(level.formatted(level.formatted("{'const':1}")));
    assertThat(sample(schema)).isEqualTo(Json.parse("{\"x\":{\"x\":{}}}"));
  }

  @Test
  void theSameSeedGivesTheSameValue() {
    OpenRpc document =
        document("{'type':'array','minItems':20,'items':{'type':'string','format':'uuid'}}", "");
    assertThat(sample(document, 7)).isEqualTo(sample(document, 7));
    assertThat(sample(document, 7)).isNotEqualTo(sample(document, 8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'allOf':[{'type':'integer','minimum':5},{'maximum':3}]} | '' |"
            + " no number is between 5 and 3",
        "{'type':'string','allOf':[{'minLength':5},{'maxLength':4}]} | '' |"
            + " minLength 5 is greater than maxLength 4",
        "{'enum':[1,2],'minimum':3} | '' | no value of the schema fits it: none does",
        "{'const':1,'not':{'type':'integer'}} | '' |"
            + " no value of the schema fits it: the only one does not",
        "{'type':'array','minItems':1,'items':{'const':1,'minimum':3}} | /items |"
            + " no value of the schema fits it: the only one does not",
        "{'anyOf':[{'const':1,'minimum':3},{'const':2,'minimum':3}]} | /anyOf |"
            + " no value fits an alternative",
        "{'type':'object','required':['a~b'],'properties':{'a~b':{'type':'integer',"
            + "'exclusiveMinimum':1,'exclusiveMaximum':2}}} | /properties/a~0b |"
            + " there is no integer from 1 to 2",
        "{'type':'object','required':['a'],'additionalProperties':false} | /additionalProperties |"
            + " no value fits the schema false"
      })
  void aSchemaThatNoValueFitsIsRefused(String schema, String pointer, String reason) {
    assertThatThrownBy(() -> sample(schema))
        .isInstanceOf(OpenRpcException.class)
        .hasMessage(SCHEMA + pointer + ": " + reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'type':'string','pattern':'^(?=a)b'} | /pattern |"
            + " the pattern is not known to the sampler",
        "{'type':'string','pattern':'^(a)\\\\1$'} | /pattern |"
            + " the pattern is not known to the sampler",
        "{'type':'array','minItems':1,'items':{'enum':[1]},'contains':{'const':2}} | /items |"
            + " no value of the schema fits it: the only one does not",
        "{'type':'integer','minimum':1e500}         | /minimum | the number has too many digits"
      })
  void aSchemaThatAValueMayFitIsUnknown(String schema, String pointer, String reason) {
    NoValueException failure = unknown(document(schema, ""));
    assertThat(failure).hasMessage(SCHEMA + pointer + ": " + reason);
    assertThat(failure.isCertain()).isFalse();
  }

  /** Each of these would need more memory or time than there is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'string','minLength':2000000000}",
        "{'type':'array','minItems':2000000000}",
        "{'type':'array','minItems':100000,'uniqueItems':true,'items':{'type':'boolean'}}",
        "{'type':'object','minProperties':2000000000}",
        "{'type':'string','pattern':'^a{2000000000}$'}",
        "{'type':'string','pattern':'^((((a{999}){999}){999}){999}){999}$'}",
        "{'type':'string','pattern':'^((((){999}){999}){999}){999}$','minLength':1}",
        "{'type':'string','pattern':'^(((a*)*)*)*$','minLength':1000000}",
        "{'type':'array','minItems':999,'items':{'type':'array','minItems':999,'items':"
            + "{'type':'array','minItems':999}}}"
      })
  void aHugeValueIsNotMade(String schema) {
    assertThat(unknown(document(schema, "")).isCertain()).isFalse();
  }

  @Test
  void anExponentialAllOfCostsNoMoreThanItsLength() {
    String definitions = levels(
        "{'allOf':[{'$ref':'#/components/schemas/L%1$d'},"
            + "{'$ref':'#/components/schemas/L%1$d'}]}",
        "{'const':5}");
    // The validator needs exponential time, and refuses.
    NoValueException failure = unknown(document("{'$ref':'#/components/schemas/L0'}", definitions));
    assertThat(failure).hasMessageContaining("a value takes too long to be checked");
  }

  @Test
  void theNumberOfAlternativesIsBounded() {
    String choice = "{'anyOf':[{'maximum':1},{'maximum':2},{'maximum':3},{'maximum':4}]}";
    String all = IntStream.range(0, 40).mapToObj(i -> choice).collect(Collectors.joining(","));
    NoValueException failure =
        unknown(document("{'type':'number','minimum':5,'allOf':[" + all + "]}", ""));
    assertThat(failure).hasMessageContaining("too large, or too far to seek");
  }

  @Test
  void exponentiallyManyMembersAreLeftOut() {
    String definitions = levels(
        "{'type':'object','properties':{"
            + "'a':{'$ref':'#/components/schemas/L%1$d'},"
            + "'b':{'$ref':'#/components/schemas/L%1$d'}},"
            + "'required':['a','b']}",
        "{'type':'integer'}");
    NoValueException failure = unknown(document("{'$ref':'#/components/schemas/L0'}", definitions));
    assertThat(failure).hasMessageContaining("too large, or too far to seek");
  }

  /** Returns definitions L0 to L35, each with the next number in its text, and a last one. */
  private static String levels(String schema, String last) {
    return IntStream.range(0, 36)
            .mapToObj(i -> "'L" + i + "':" + schema.formatted(i + 1))
            .collect(Collectors.joining(","))
        + ",'L36':" + last;
  }

  @Test
  void aDeepSchemaIsUnknown() {
    String schema = "{'type':'array','minItems':1,'items':".repeat(45) + "true" + "}".repeat(45);
    assertThat(unknown(document(schema, ""))).hasMessageContaining("the values nest too deep");
  }
}
