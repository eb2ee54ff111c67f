package dev.repartee.openrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick check never accepts a value that the general validator refuses. */
class QuickCheckTest {
  private static final List<String> VALUES = List.of(
      "null",
      "true",
      "0",
      "-1",
      "5",
      "10",
      "1.0",
      "1e2",
      "2.5",
      "9223372036854775808",
      "1e400",
      "''",
      "'a'",
      "'b'",
      "'\\u0061'",
      "[]",
      "[1]",
      "[1,'a']",
      "[[1],[]]",
      "{}",
      "{'a':1}",
      "{'a':'a'}",
      "{'a':1,'b':2}",
      "{'\\u0061':1}",
      "{'a':{'a':{}}}",
      "{'b':[{'b':[]}]}");

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private static References references(String schema) {
    return new References(new Node(
        json("{'components':{'schemas':{'S':" + schema + ",'Tree':{'type':'object',"
            + "'properties':{'a':{'$ref':'#/components/schemas/Tree'}}}}}}"),
        "",
        false));
  }

  private static Node schema(References references) {
    return references.find("#/components/schemas/S");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "{}",
        "{'title':'any','x-note':1}",
        "{'type':'null'}",
        "{'type':'boolean'}",
        "{'type':'number'}",
        "{'type':'integer'}",
        "{'type':['integer','number']}",
        "{'type':['string','null']}",
        "{'type':'integer','minimum':0,'maximum':5}",
        "{'type':'string'}",
        "{'type':'string','enum':['a','']}",
        "{'type':'string','enum':['a',1]}",
        "{'type':'string','const':'b'}",
        "{'type':'array'}",
        "{'type':'array','items':{'type':'integer'}}",
        "{'type':'array','items':{'type':'array','items':{'type':'integer'}}}",
        "{'type':'object'}",
        "{'type':'object','required':['a'],'properties':{'a':{'type':'integer'}}}",
        "{'type':'object','properties':{'a':{}},'additionalProperties':false}",
        "{'type':'object','properties':{'a':{}},'additionalProperties':{'type':'array'}}",
        "{'$ref':'#/components/schemas/Tree'}",
        "{'type':'object','properties':{'b':{'type':'array','items':{'$ref':'#/components/schemas/S'}}}}"
      })
  void aSimpleSchemaIsCheckedAsTheGeneralValidatorDoes(String text) {
    References references = references(text);
    QuickCheck quick = QuickCheck.of(schema(references), references);
    assertThat(quick).isNotNull();
    SchemaValidator exact =
        SchemaValidator.ofArguments(StandaloneSchema.of(schema(references), references));
    int accepted = 0;
    for (String value : VALUES) {
      if (quick.fits(json(value))) {
        assertThat(exact.faults(json(value), () -> {})).as(value).isEmpty();
        accepted++;
      }
    }
    assertThat(accepted).isPositive();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "false",
        "{'type':'string','pattern':'a'}",
        "{'type':'string','maxLength':5}",
        "{'type':'integer','multipleOf':5}",
        "{'type':'integer','minimum':0.5}",
        "{'type':'array','items':[{}]}",
        "{'type':'array','uniqueItems':true}",
        "{'type':['integer','string']}",
        "{'oneOf':[{},{}]}",
        "{'enum':[1]}",
        "{'type':'object','required':['a']}",
        "{'type':'object','properties':{'a':{'not':{}}}}",
        "{'$ref':'#/components/schemas/T'}",
      })
  void otherSchemasAreNotSimple(String text) {
    References references = new References(new Node(
        json("{'components':{'schemas':{'S':" + text + ",'T':{'type':'object','properties':{"
            + "'next':{'$ref':'#/components/schemas/T'},'a':{'anyOf':[{}]}}}}}}"),
        "",
        false));
    assertThat(QuickCheck.of(schema(references), references)).isNull();
  }

  @Test
  void valuesOfTheSameFormNeedNoGeneralValidator() {
    References references = references("{'type':'array','items':{'type':'object','required':"
        + "['id'],'properties':{'id':{'type':'integer'},'name':{'type':'string'}}}}");
    QuickCheck quick = QuickCheck.of(schema(references), references);
    assertThat(quick.fits(json(" [ { 'id' : 1 , 'name' : 'a' } , { 'name':'b','id':-7}]")))
        .isTrue();
    assertThat(quick.fits(json("[{'name':'b'}]"))).isFalse();
  }

  @Test
  void referencesOfALenientDocumentToEachOtherAreNotSimple() {
    References references = new References(new Node(
        json("{'components':{'schemas':{'S':{'$ref':'#/components/schemas/T'},"
            + "'T':{'$ref':'#/components/schemas/S'}}}}"),
        "",
        true));
    assertThat(QuickCheck.of(schema(references), references)).isNull();
  }
}
