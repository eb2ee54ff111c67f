package dev.repartee.openrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules for changes that break callers. */
class OpenRpcDiffTest {
  private static OpenRpc document(String methods) {
    return OpenRpc.of(
        Json.parse(("{'openrpc':'1.3.2','info':{'title':'t','version':'1'},'methods':["
                + methods + "],'components':{'schemas':{"
                + "'Tree':{'type':'object','properties':{'all':{'type':'array','items':"
                + "{'$ref':'#/components/schemas/Tree'}}}},"
                + "'Wood':{'type':'object','properties':{'all':{'type':'array','items':"
                + "{'$ref':'#/components/schemas/Wood'}},'age':{'type':'integer'}}}}}}")
            .replace('\'', '"')));
  }

  private static List<Change> changes(String old, String now) {
    return OpenRpcDiff.between(
        document("{'name':'m'," + old + "}"), document("{'name':'m'," + now + "}"));
  }

  @Test
  void addedAndRemovedMethodsAreListed() {
    String a = "{'name':'a','params':[]}";
    String b = "{'name':'b','params':[]}";
    assertThat(OpenRpcDiff.between(document(a), document(b)))
        .containsExactly(
            new Change(Change.Kind.REMOVED, "a", "the method is removed", true),
            new Change(Change.Kind.ADDED, "b", "the method is added", false));
    assertThat(OpenRpcDiff.between(document(a), document(a))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'params':[P]|'params':[]|true|the parameter 'p' is removed",
        "'params':[]|'params':[P]|false|the optional parameter 'p' is added",
        "'params':[]|'params':[R]|true|the required parameter 'r' is added",
        "'params':[P]|'params':[Q,P]|true|the optional parameter 'q' is added before others",
        "'params':[P,Q]|'params':[Q,P]|true|the parameters have another order",
        "NAMES,'params':[P]|NAMES,'params':[Q,P]|false|the optional parameter 'q' is added",
        "NAMES,'params':[P]|'params':[P]|false|params are accepted either instead of by-name",
        "'params':[P]|NAMES,'params':[P]|true|params are accepted by-name instead of either",
        "PLACES,'params':[P]|PLACES,'params':[Q]|false|the parameter 'p' is named 'q'",
        "PLACES,'params':[P]|PLACES,'params':[]|true|the parameter 'p' is removed",
        "'params':[OPTIONAL]|'params':[R]|true|the parameter 'r' is required",
        "'params':[R]|'params':[OPTIONAL]|false|the parameter 'r' is optional",
        "'params':[OPTIONAL]|'params':[VARIADIC]|true|the parameter 'r' is variadic",
        "'result':R|'params':[]|true|it has no result",
        "'params':[]|'result':R|false|it has a result",
        "'params':[]|'x-stream':{'form':'call'}|true|it answers with a stream",
        "'x-stream':{'form':'call'}|'params':[]|true|it answers without a stream",
        "'params':[]|'deprecated':true|false|the method is deprecated",
        "'params':[]|'errors':[{'code':5,'message':'m'}]|false|the error 5 is added",
        "'errors':[{'code':5,'message':'m'}]|'params':[]|false|the error 5 is removed",
      })
  void aChangeOfAMethodIsDescribed(String old, String now, boolean breaks, String text) {
    assertThat(changes(replaced(old), replaced(now)))
        .containsExactly(new Change(Change.Kind.CHANGED, "m", text, breaks));
  }

  private static String replaced(String text) {
    return text.replaceAll("\\bP\\b", "{'name':'p','schema':true}")
        .replaceAll("\\bQ\\b", "{'name':'q','schema':true}")
        .replaceAll("\\bR\\b", "{'name':'r','required':true,'schema':true}")
        .replaceAll("\\bOPTIONAL\\b", "{'name':'r','schema':true}")
        .replaceAll("\\bVARIADIC\\b", "{'name':'r','x-variadic':true,'schema':true}")
        .replaceAll("\\bNAMES\\b", "'paramStructure':'by-name'")
        .replaceAll("\\bPLACES\\b", "'paramStructure':'by-position'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'params':[P]|'params':[]|true|the parameter 'p' is removed",
        "'params':[]|'params':[P]|false|the parameter 'p' is added",
        "'params':[R]|'params':[OPTIONAL]|true|the parameter 'r' is optional",
        "'params':[OPTIONAL]|'params':[R]|false|the parameter 'r' is always sent",
        "'params':[P]|NAMES,'params':[P]|true|params are sent by-name instead of either",
        "'params':[P]|'params':[Q]|true|the parameter 'p' is named 'q'",
        "PLACES,'params':[P]|PLACES,'params':[Q]|false|the parameter 'p' is named 'q'",
        "'params':[P]|'params':[{'name':'p','schema':{'const':1}}]|false|"
            + "the parameter 'p' has fewer values",
        "'params':[{'name':'p','schema':{'const':1}}]|'params':[P]|true|"
            + "the parameter 'p' may have other values: values other than 1",
        "'params':[]|'deprecated':true|false|the notification is deprecated",
        "'deprecated':true|'params':[]|false|the notification is no longer deprecated",
      })
  void aChangeOfASentNotificationIsDescribed(String old, String now, boolean breaks, String text) {
    assertThat(OpenRpcDiff.between(sent("n", replaced(old)), sent("n", replaced(now))))
        .containsExactly(new Change(Change.Kind.CHANGED, "n", text, breaks));
  }

  @Test
  void addedAndRemovedNotificationsAreListed() {
    assertThat(OpenRpcDiff.between(sent("a", "'params':[]"), sent("b", "'params':[]")))
        .containsExactly(
            new Change(Change.Kind.REMOVED, "a", "the notification is no longer sent", true),
            new Change(Change.Kind.ADDED, "b", "the notification is sent", false));
  }

  private static OpenRpc sent(String name, String notification) {
    return OpenRpc.of(Json.parse(("{'openrpc':'1.4.1','info':{'title':'t','version':'1'},"
            + "'methods':[],'x-notifications':[{'name':'" + name + "'," + notification + "}]}")
        .replace('\'', '"')));
  }

  /** Whether A.s fits F depends on whether A fits D, which the first alternative refutes. */
  @Test
  void anAssumptionThatFailedIsNotUsedAgain() {
    String schemas = """
        'A':{'type':'object','required':['p','s','b'],'properties':{
          'p':{'$ref':'#/components/schemas/B'},'s':{'$ref':'#/components/schemas/B'},
          'b':{'type':'integer'}}},
        'B':{'type':'object','required':['up'],'properties':{
          'up':{'$ref':'#/components/schemas/A'}}},
        'D':{'properties':{'p':{'$ref':'#/components/schemas/F'},
          's':{'$ref':'#/components/schemas/F'},'b':{'type':'string'}}},
        'F':{'properties':{'up':{'$ref':'#/components/schemas/D'}}}""";
    String old = "{'type':'object','required':['q'],'properties':{"
        + "'q':{'$ref':'#/components/schemas/A'}}}";
    String now = "{'anyOf':[{'properties':{'q':{'$ref':'#/components/schemas/D'}}},"
        + "{'properties':{'q':{'properties':{'s':{'$ref':'#/components/schemas/F'}}}}}]}";
    assertThat(OpenRpcDiff.between(withSchemas(old, schemas), withSchemas(now, schemas)))
        .containsExactly(new Change(
            Change.Kind.CHANGED,
            "m",
            "the parameter 'p' accepts fewer values: fits no alternative as a whole",
            true));
  }

  private static OpenRpc withSchemas(String schema, String schemas) {
    return OpenRpc.of(Json.parse(("{'openrpc':'1.3.2','info':{'title':'t','version':'1'},"
            + "'methods':[{'name':'m','params':[{'name':'p','schema':" + schema
            + "}],'result':{'name':'r','schema':true}}],'components':{'schemas':{" + schemas
            + "}}}")
        .replace('\'', '"')));
  }

  /** The first schema is wider: values that fit it may not fit the second. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "true|{'type':'string'}|the type array or boolean or integer or null or number or object",
        "{'type':'number'}|{'type':'integer'}|the type number",
        "{'type':['string','null']}|{'type':'string'}|the type null",
        "{'type':'string'}|{'enum':['a','b']}|values other than \"a\", \"b\"",
        "{'enum':['a','b']}|{'const':'b'}|the value \"a\"",
        "{'type':'string'}|{'type':'string','maxLength':5}|'maxLength' is 5",
        "{'type':'integer','minimum':0}|{'type':'integer','exclusiveMinimum':0}"
            + "|'exclusiveMinimum' is 0",
        "{'type':'string'}|{'type':'string','pattern':'^a'}|'pattern' differs",
        "{'type':'array'}|{'type':'array','items':{'type':'string'}}|at /0 the type",
        "{'type':'array','items':{'type':'number'}}|{'type':'array','items':{'type':'integer'}}"
            + "|at /0 the type number",
        "{'type':'object'}|{'type':'object','required':['a']}|the member 'a' may be missing",
        "{'type':'object'}|{'type':'object','additionalProperties':false}|further members",
        "{'properties':{'a/b':{'type':'number'}}}|{'properties':{'a/b':{'type':'integer'}}}"
            + "|at /a~1b the type number",
        "{'properties':{'a':{}},'additionalProperties':false}|{'additionalProperties':false}"
            + "|at /a no value is expected",
        "{'anyOf':[{'type':'string'},{'type':'null'}]}|{'type':'string'}|the type null",
        "{'type':'string'}|{'oneOf':[{'enum':['a']},{'enum':['b']}]}"
            + "|fits no alternative as a whole",
        "{'$ref':'#/components/schemas/Tree'}|{'$ref':'#/components/schemas/Wood'}"
            + "|at /all/0/age the type",
        "{}|{'not':{'type':'null'}}|'not' differs",
      })
  void aNarrowerParameterAndAWiderResultBreakCallers(String wide, String narrow, String reason) {
    assertThat(changes(param(wide), param(narrow))).singleElement().satisfies(change -> {
      assertThat(change.text()).startsWith("the parameter 'p' accepts fewer values: " + reason);
      assertThat(change.breaks()).isTrue();
    });
    assertThat(changes(param(narrow), param(wide)))
        .containsExactly(
            new Change(Change.Kind.CHANGED, "m", "the parameter 'p' accepts more values", false));
    assertThat(changes(result(narrow), result(wide))).singleElement().satisfies(change -> {
      assertThat(change.text()).startsWith("the result may have other values: " + reason);
      assertThat(change.breaks()).isTrue();
    });
    assertThat(changes(result(wide), result(narrow)))
        .containsExactly(
            new Change(Change.Kind.CHANGED, "m", "the result has fewer values", false));
  }

  private static String param(String schema) {
    return "'params':[{'name':'p','schema':" + schema + "}]";
  }

  private static String result(String schema) {
    return "'result':{'name':'r','schema':" + schema + "}";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'string','title':'A'}|{'description':'b','type':['string']}",
        "{'anyOf':[{'type':'string'},{'type':'null'}]}|{'type':['null','string']}",
        "{'allOf':[{'type':'object'},{'required':['a']}]}|{'type':'object','required':['a']}",
        "{'$ref':'#/components/schemas/Tree'}|{'type':'object','properties':"
            + "{'all':{'type':'array','items':{'$ref':'#/components/schemas/Tree'}}}}",
        "{'enum':[1,2]}|{'enum':[2,1]}",
        "{'type':'null'}|{'const':null}",
        "{'type':'integer','minimum':1}|{'minimum':1.0,'type':'integer'}",
        "true|{}",
      })
  void schemasWithTheSameValuesAreNoChange(String one, String other) {
    assertThat(changes(param(one), param(other))).isEmpty();
  }

  @Test
  void aLineShowsTheKindOfTheChange() {
    assertThat(new Change(Change.Kind.REMOVED, "a", "gone", true)).hasToString("- a: gone");
  }

  /** Each schema has the next one twice: the last one applies 2^60 times. */
  @Test
  void schemasThatDoubleAtEachReferenceAreTooLargeToBeCompared() {
    StringBuilder schemas = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      String next = "{'$ref':'#/components/x/s" + (i + 1) + "'}";
      schemas.append("'s" + i + "':{'allOf':[" + next + "," + next + "]},");
    }
    String text = "{'openrpc':'1.3.2','info':{'title':'t','version':'1'},'methods':[{'name':'m',"
        + "'params':[{'name':'p','schema':{'$ref':'#/components/x/s0'}}]}],"
        + "'components':{'x':{" + schemas + "'s60':{'type':'TYPE'}}}}";
    OpenRpc old = OpenRpc.of(Json.parse(text.replace('\'', '"').replace("TYPE", "integer")));
    OpenRpc now = OpenRpc.of(Json.parse(text.replace('\'', '"').replace("TYPE", "string")));
    assertThat(OpenRpcDiff.between(old, now))
        .singleElement()
        .satisfies(change -> assertThat(change.text()).contains("too large to be compared"));
  }
}
