package dev.repartee.openrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The model of documents: what it reads, and the sentence for each fault. */
class OpenRpcTest {
  private static final String METHOD = """
      {"openrpc":"1.3.2","info":{"title":"Shop","version":"2"},"methods":[{
        "name":"order","summary":"Orders an item.","description":"Waits.","deprecated":true,
        "tags":[{"$ref":"#/components/tags/Buy"}],
        "paramStructure":"by-name",
        "params":[
          {"name":"item","required":true,"schema":{"$ref":"#/components/schemas/Item"}},
          {"$ref":"#/components/contentDescriptors/Count"}],
        "result":{"name":"number","schema":{"type":"integer"}},
        "errors":[{"$ref":"#/components/errors/SoldOut"},{"code":7,"message":"No","data":{}}],
        "examples":[{"$ref":"#/components/examplePairings/One"}],
        "x-note":1}],
      "components":{
        "schemas":{"Item":{"type":"object","properties":{
          "parts":{"type":"array","items":{"$ref":"#/components/schemas/Item"}}}}},
        "contentDescriptors":{"Count":{"name":"count","summary":"How many","schema":true}},
        "tags":{"Buy":{"name":"buy","summary":"Buying"}},
        "errors":{"SoldOut":{"code":-5,"message":"Sold out"}},
        "examples":{"Tea":{"name":"item","value":{"parts":[]}}},
        "examplePairings":{"One":{"name":"one","params":[{"$ref":"#/components/examples/Tea"}],
          "result":{"name":"number","value":9}}}}}\
      """;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private static OpenRpc document(String methods, String components) {
    return OpenRpc.of(json("{'openrpc':'1.3.2','info':{'title':'t','version':'1'},'methods':["
        + methods + "],'components':" + components + "}"));
  }

  private static String fault(String methods, String components) {
    try {
      document(methods, components);
    } catch (OpenRpcException e) {
      assertThat(e).hasMessageStartingWith(e.pointer());
      assertThat(e.getMessage()).doesNotContain("\n");
      return e.getMessage();
    }
    throw new AssertionError("the document is accepted");
  }

  private static OpenRpc sent(String notifications) {
    return OpenRpc.of(json("{'openrpc':'1.2.0','info':{'title':'t','version':'1'},'methods':["
        + "{'name':'a','params':[],'result':{'name':'r','schema':true}}],'x-notifications':"
        + notifications + ",'components':{'contentDescriptors':{'P':{'name':'p','schema':{}}}}}"));
  }

  @Test
  void theNotificationsThatTheServerSendsAreMethodsOfTheOtherDirection() {
    OpenRpc document =
        sent("[{'name':'a','params':[{'$ref':'#/components/contentDescriptors/P'}]}]");
    MethodDescriptor sent = document.notification("a");
    assertThat(document.notifications()).containsExactly(sent);
    assertThat(sent.sent()).isTrue();
    assertThat(sent.isNotification()).isTrue();
    assertThat(sent.params()).extracting(ContentDescriptor::name).containsExactly("p");
    assertThat(sent.pointer()).isEqualTo("/x-notifications/0");
    assertThat(document.methods()).extracting(MethodDescriptor::sent).containsExactly(false);
    assertThat(document.notification("b")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|/x-notifications: expected an array, found {}",
        "[{}]|/x-notifications/0: the member 'name' is missing",
        "[{'name':'a'},{'name':'a'}]|/x-notifications/1: a second notification with the name 'a';"
            + " the first is at /x-notifications/0",
        "[{'$ref':'#/methods/0'}]|/methods/0: a notification that the server sends has a result",
        "[{'name':'a','params':[{'name':'p','schema':{'$ref':'#/no'}}]}]|"
            + "/x-notifications/0/params/0/schema: the reference '#/no' has no target",
        "[{'name':'a','params':[{'name':'p','required':true,'schema':false}]}]|"
            + "/x-notifications/0/params/0/schema: no value fits the schema",
      })
  void aNotificationOfTheWrongFormIsNamedByItsPointer(String notifications, String sentence) {
    assertThatThrownBy(() -> sent(notifications))
        .isInstanceOf(OpenRpcException.class)
        .hasMessage(sentence);
  }

  @Test
  void aMethodIsReadWithItsReferences() {
    OpenRpc shop = OpenRpc.of(Json.parse(METHOD));
    assertThat(shop.info()).isEqualTo(new Info("Shop", "2", null));
    assertThat(shop.version()).isEqualTo("1.3.2");
    assertThat(shop).hasToString("Shop (1 methods)");
    MethodDescriptor order = shop.methods().get(0);
    assertThat(shop.method("order")).isSameAs(order);
    assertThat(shop.method("none")).isNull();
    assertThat(order.summary()).isEqualTo("Orders an item.");
    assertThat(order.description()).isEqualTo("Waits.");
    assertThat(order.deprecated()).isTrue();
    assertThat(order.isNotification()).isFalse();
    assertThat(order.paramStructure()).isEqualTo(ParamStructure.BY_NAME);
    assertThat(order.tags()).containsExactly(new Tag("buy", "Buying"));
    assertThat(order.params()).extracting(ContentDescriptor::name).containsExactly("item", "count");
    assertThat(order.params()).extracting(ContentDescriptor::required).containsExactly(true, false);
    assertThat(order.params())
        .extracting(ContentDescriptor::pointer)
        .containsExactly(
            "/methods/0/params/0/schema", "/components/contentDescriptors/Count/schema");
    assertThat(order.errors())
        .containsExactly(
            new ErrorDescriptor(-5, "Sold out", null),
            new ErrorDescriptor(7, "No", Json.EMPTY_OBJECT));
    ExamplePairing example = order.examples().get(0);
    assertThat(example.params())
        .containsExactly(new ExamplePairing.Argument("item", Json.parse("{\"parts\":[]}")));
    assertThat(example.result()).isEqualTo(Json.of(9));
    assertThat(order.json().get("x-note")).isEqualTo(Json.of(1));
    assertThat(order.pointer()).isEqualTo("/methods/0");
    assertThat(shop.schemas()).containsOnlyKeys("Item");
    assertThat(shop.resolve("#/components/schemas/Item").string("type")).isEqualTo("object");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0.0-rc1", "1.2.4", "1.2.6", "1.3.0", "1.4.1"})
  void versionsOneAreRead(String version) {
    assertThat(OpenRpc.of(json("{'openrpc':'" + version + "','methods':[]}"))
            .info()
            .title())
        .isEqualTo("untitled");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing|the document: it is not JSON: ",
        "[]|the document: it is not an OpenRPC document: the member 'openrpc' is missing",
        "{'openrpc':'1.2.6'}|the document: it is not an OpenRPC document: the member 'methods'",
        "{'openrpc':'2.0.0','methods':[]}|/openrpc: expected a version from 1.0.0 to 1.4.x, found",
        "{'openrpc':'1.2.6','methods':{}}|/methods: expected an array, found {}",
        "{'openrpc':'1.2.6','methods':[],'info':[]}|/info: expected an object, found []",
        "{'openrpc':'1.2.6','methods':[],'components':1}|/components: expected an object, found 1",
      })
  void anotherDocumentIsRefusedInOneSentence(String text, String sentence) {
    assertThatThrownBy(() -> OpenRpc.parse(
            text.replace('\'', '"').getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .isInstanceOf(OpenRpcException.class)
        .hasMessageStartingWith(sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5|/methods/0: expected an object, found 5",
        "{'params':[]}|/methods/0: the member 'name' is missing",
        "{'name':7}|/methods/0/name: expected a string, found 7",
        "{'name':'a','params':7}|/methods/0/params: expected an array, found 7",
        "{'name':'a','params':[7]}|/methods/0/params/0: expected an object, found 7",
        "{'name':'a','params':[{'name':'b'}]}|/methods/0/params/0: the member 'schema' is missing",
        "{'name':'a','params':[{'name':'b','schema':7}]}|/methods/0/params/0/schema: expected an"
            + " object",
        "{'name':'a','params':[{'name':'b','schema':{},'required':1}]}|/methods/0/params/0/required:"
            + " expected a boolean, found 1",
        "{'name':'a','result':[]}|/methods/0/result: expected an object, found []",
        "{'name':'a','errors':[{'code':'x','message':'m'}]}|/methods/0/errors/0/code: expected a"
            + " number",
        "{'name':'a','errors':[{'code':1.5,'message':'m'}]}|/methods/0/errors/0/code: expected an"
            + " integer, found 1.5",
        "{'name':'a','paramStructure':'any'}|/methods/0/paramStructure: expected by-position,"
            + " by-name or either",
        "{'name':'a','tags':['b']}|/methods/0/tags/0: expected an object",
        "{'name':'a','x-stream':{}}|/methods/0/x-stream: the member 'form' is missing",
        "{'name':'a'},{'name':'a'}|/methods/1: a second method with the name 'a'; the first is at"
            + " /methods/0",
        "{'name':'a','params':[{'name':'p','schema':{}},{'name':'p','schema':{}}]}|/methods/0/params/1:"
            + " a second parameter with the name 'p'",
      })
  void aMemberOfTheWrongFormIsNamedByItsPointer(String method, String sentence) {
    assertThat(fault(method, "{}")).startsWith(sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'$ref':'#/components/x/a'}|{'x':{'a':{'$ref':'#/components/x/b'},'b':{'$ref':'#/components/x/a'}}}|/methods/0:"
            + " the references form a loop: /methods/0 -> /components/x/a -> /components/x/b",
        "{'$ref':'#/components/x/none'}|{}|/methods/0: the reference '#/components/x/none' has no"
            + " target",
        "{'$ref':'#/components/%zz'}|{}|/methods/0: the reference '#/components/%zz' has no target",
        "{'$ref':'#anchor'}|{}|/methods/0: the reference '#anchor' has no target",
        "{'$ref':'other.json#/a'}|{}|/methods/0: the reference 'other.json#/a' leads to another"
            + " document",
        "{'name':'a','params':[{'$ref':'#/x'}]}|{}|/methods/0/params/0: the reference '#/x' has no"
            + " target",
        "{'name':'a','params':[{'name':'p','schema':{'items':{'$ref':'#/x'}}}]}|{}"
            + "|/methods/0/params/0/schema/items: the reference '#/x' has no target",
        "{'name':'a','result':{'name':'r','schema':{'$ref':'#/components/schemas/A'}}}"
            + "|{'schemas':{'A':{'properties':{'a/b':{'$ref':'file:///etc/passwd'}}}}}"
            + "|/components/schemas/A/properties/a~1b: the reference 'file:///etc/passwd' leads",
        "{'name':'a','result':{'name':'r','schema':{'$ref':'#/components/schemas/A'}}}"
            + "|{'schemas':{'A':{'$ref':'#/components/schemas/B'},'B':{'allOf':[{'$ref':'#/components/schemas/A'}]}}}|/components/schemas/A:"
            + " the references form a loop: /components/schemas/A -> /components/schemas/B",
      })
  void aReferenceWithoutATargetIsNamedByItsPointer(
      String method, String components, String sentence) {
    assertThat(fault(method, components)).startsWith(sentence);
  }

  /** Values of these keywords are data, in which a reference has no meaning. */
  @Test
  void dataInSchemasIsNoReference() {
    assertThat(document(
                "{'name':'a','params':[{'name':'p','schema':{'default':{'$ref':'#/x'},"
                    + "'enum':[{'$ref':'#/x'}],'examples':[{'$ref':'#/x'}],"
                    + "'properties':{'$ref':{'type':'string'}}}}]}",
                "{}")
            .methods())
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "false",
        "{'enum':[]}",
        "{'not':{}}",
        "{'type':'integer','minimum':3,'maximum':2}",
        "{'type':'string','minLength':3,'maxLength':2}",
        "{'type':'string','const':5}",
        "{'allOf':[{'type':'string'},{'type':'integer'}]}",
        "{'oneOf':[false,{'enum':[]}]}",
        "{'type':'object','required':['a'],'properties':{'a':false}}",
        "{'type':'array','minItems':1,'items':false}",
        "{'$ref':'#/components/schemas/Endless'}",
      })
  void aSchemaThatNoValueFitsIsRefused(String schema) {
    String endless = "{'schemas':{'Endless':{'type':'object','required':['next'],'properties':"
        + "{'next':{'$ref':'#/components/schemas/Endless'}}}}}";
    assertThat(fault(
            "{'name':'a','params':[{'name':'p','required':true,'schema':" + schema + "}]}",
            endless))
        .isEqualTo("/methods/0/params/0/schema: no value fits the schema");
    assertThat(fault("{'name':'a','result':{'name':'r','schema':" + schema + "}}", endless))
        .isEqualTo("/methods/0/result/schema: no value fits the schema");
    document("{'name':'a','params':[{'name':'p','schema':" + schema + "}]}", endless); // optional
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "{'not':{'type':'string'}}",
        "{'type':['integer','null'],'minimum':2,'maximum':2}",
        "{'minimum':3,'maximum':2}",
        "{'allOf':[{'type':'number'},{'type':'integer'}]}",
        "{'anyOf':[false,{'$ref':'#/components/schemas/Tree'}]}",
        "{'type':'object','properties':{'a':false}}",
        "{'type':'array','items':false}",
        "{'$ref':'#/components/schemas/Tree'}",
      })
  void aSchemaThatAValueMayFitIsAccepted(String schema) {
    assertThat(document(
                "{'name':'a','result':{'name':'r','schema':" + schema + "}}",
                "{'schemas':{'Tree':{'type':'object','required':['all','other'],'properties':{"
                    + "'all':{'type':'array','items':{'$ref':'#/components/schemas/Tree'}},"
                    + "'other':{'oneOf':[{'$ref':'#/components/schemas/Tree'},{'type':'null'}]}}}}}")
            .methods())
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"1.2.6,false", "1.3.0,true", "1.4.1,true"})
  void aMethodWithoutAResultIsANotificationFromVersionThreeOn(String version, boolean isOne) {
    Json json = json("{'openrpc':'" + version + "','methods':[{'name':'m','params':[]}]}");
    if (isOne) {
      assertThat(OpenRpc.of(json).methods().get(0).isNotification()).isTrue();
    } else {
      assertThatThrownBy(() -> OpenRpc.of(json))
          .hasMessage("/methods/0: the member 'result' is missing");
    }
  }

  @Test
  void manyReferencesToAPartShareIt() {
    String long200K = "x".repeat(200 << 10);
    OpenRpc document = document(
        IntStream.range(0, 2_000)
            .mapToObj(i -> "{'name':'m" + i + "','params':[{'$ref':'#/components/a'}]}")
            .collect(Collectors.joining(",")),
        "{'a':{'name':'" + long200K + "','schema':{}}}");
    assertThat(document.methods().get(1_999).params().get(0))
        .isSameAs(document.methods().get(0).params().get(0));
  }

  @Test
  void aSchemaStandsAloneWithTheDefinitionsThatItRefersTo() {
    OpenRpc document = document(
        "{'name':'a','params':[{'name':'p','schema':{'$ref':'#/components/schemas/Tree'}}],"
            + "'result':{'name':'r','schema':{'$ref':'#/components/schemas/Any'}}}",
        "{'schemas':{'Tree':{'type':'object','properties':{"
            + "'all':{'items':{'$ref':'#/components/schemas/Tree'}},"
            + "'leaf':{'$ref':'#/components/x/Tree'}}},'Any':true},'x':{'Tree':{'type':'string'}}}");
    MethodDescriptor method = document.methods().get(0);
    String properties = "{'all':{'items':{'$ref':'#/definitions/Tree'}},"
        + "'leaf':{'$ref':'#/definitions/Tree2'}}";
    assertThat(document.standalone(method.params().get(0)))
        .isEqualTo(json("{'$schema':'http://json-schema.org/draft-07/schema#','type':'object',"
            + "'properties':" + properties + ",'definitions':{"
            + "'Tree':{'type':'object','properties':" + properties + "},"
            + "'Tree2':{'type':'string'}}}"));
    assertThat(document.standalone(method.result())).isEqualTo(Json.TRUE);
    assertThat(document.resolved(method.result().schema())).isEqualTo(Json.TRUE);
  }

  @Test
  void aReferenceIsFollowedIntoArraysAndEscapedNames() {
    OpenRpc document = document(
        "{'name':'a','params':[{'$ref':'#/components/x~1y%20z/1'}]}",
        "{'x/y z':[0,{'name':'p','schema':{'type':'string'}}]}");
    assertThat(document.methods().get(0).params().get(0).schema())
        .isEqualTo(json("{'type':'string'}"));
  }

  /** The pointer of each of the many members would have the long name. */
  @Test
  void aLongNameIsNotKeptForEachMember() {
    String members = IntStream.range(0, 20_000)
        .mapToObj(i -> "'a" + i + "':{}")
        .collect(Collectors.joining(","));
    String schema = "{'type':'object','properties':{'" + "x".repeat(1_000_000)
        + "':{'type':'object','properties':{" + members + "}}}}";
    OpenRpc document =
        document("{'name':'m','params':[{'name':'p','schema':" + schema + "}]}", "{}");
    ContentDescriptor param = document.methods().get(0).params().get(0);
    assertThat(document.standalone(param).get("properties")).isNotNull();
  }

  /** Each of the many steps of a reference would be kept with the pointer to it. */
  @Test
  void aReferenceWithoutATargetKeepsNothing() {
    String steps = "/b".repeat(490);
    String references = IntStream.range(0, 16_000)
        .mapToObj(i -> "{'$ref':'#/a" + i + steps + "'}")
        .collect(Collectors.joining(","));
    assertThat(OpenRpc.lenient(json("{'methods':[" + references + "]}")).methods())
        .isEmpty();
  }

  /** A search for each name from the start would take minutes. */
  @Test
  void aSchemaStandsAloneWithManyDefinitionsOfOneName() {
    int many = 50_000;
    String references = IntStream.range(0, many)
        .mapToObj(i -> "{'$ref':'#/components/x/" + i + "/a'}")
        .collect(Collectors.joining(","));
    OpenRpc document = document(
        "{'name':'m','params':[{'name':'p','schema':{'anyOf':[" + references + "]}}]}",
        "{'x':[" + "{'a':{}},".repeat(many) + "{}]}");
    Json schema = document.standalone(document.methods().get(0).params().get(0));
    assertThat(schema.get("definitions").members()).hasSize(many).containsKey("a" + many);
  }
}
