package dev.repartee.mcp.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DescribedMethodsTest {
  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private static List<RemoteMethod> methods(String document) {
    return new DescribedMethods(json(document), "the answer to rpc.discover").methods();
  }

  private static RemoteMethod method(String members) {
    return method(members, "{}");
  }

  private static RemoteMethod method(String members, String components) {
    List<RemoteMethod> methods = methods("{'openrpc':'1.2.6','methods':[{'name':'m'," + members
        + "}],'components':" + components + "}");
    assertThat(methods).hasSize(1);
    return methods.get(0);
  }

  @ParameterizedTest
  @CsvSource({"1.2.4,false", "1.2.6,false", "1.3.0,true", "1.3.2,true", "1.4.1,true"})
  void aMethodWithoutAResultIsANotificationFromVersionThreeOn(String version, boolean isOne) {
    List<RemoteMethod> methods = methods("{'openrpc':'" + version
        + "','methods':[{'name':'m','params':[]},{'name':'n','result':{'name':'r'}}]}");
    assertThat(methods).extracting(RemoteMethod::notification).containsExactly(isOne, false);
  }

  @Test
  void aDocumentOfTheEthereumNodesIsRead() {
    RemoteMethod method = methods("{'openrpc':'1.2.4','info':{'title':'Ethereum JSON-RPC"
            + " Specification','license':{'name':'CC0-1.0'},'version':'0.0.0'},'methods':[{"
            + "'name':'eth_getBalance','summary':'Returns the balance of the account.','params':[{"
            + "'name':'Address','required':true,'schema':{'title':'hex encoded address','type':"
            + "'string','pattern':'^0x[0-9a-fA-F]{40}$'}},{'name':'Block','required':true,'schema':{"
            + "'title':'Block tag','oneOf':[{'type':'string','enum':['latest']},{'type':'string',"
            + "'pattern':'^0x([1-9a-f]+[0-9a-f]*|0)$'}]}}],'result':{'name':'Balance','schema':{"
            + "'title':'hex encoded unsigned integer','type':'string'}}}],'components':{'schemas':"
            + "{}}}")
        .get(0);
    assertThat(method.name()).isEqualTo("eth_getBalance");
    assertThat(method.description()).isEqualTo("Returns the balance of the account.");
    assertThat(method.notification()).isFalse();
    assertThat(method.input().get("required")).isEqualTo(json("['Address','Block']"));
  }

  @Test
  void paramsBecomePropertiesAndOthersAreForbidden() {
    RemoteMethod method =
        method("'params':[{'name':'a','required':true,'schema':{'type':'string'}},"
            + "{'name':'b','schema':{'type':'integer'}}]");
    assertThat(method.input())
        .isEqualTo(
            json("{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'integer'}},"
                + "'required':['a'],'additionalProperties':false}"));
    assertThat(method.positions()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"'params':[]", "'params':null", "'result':{'name':'r'}"})
  void aMethodWithoutParamsAcceptsAnyArguments(String members) {
    assertThat(method(members).input()).isEqualTo(json("{'type':'object'}"));
  }

  @Test
  void theDescriptionOfAParameterGoesToItsSchema() {
    RemoteMethod method = method("'params':[{'name':'a','description':'how many','schema':true},"
        + "{'name':'b','summary':'other','schema':{'description':'of its own'}},"
        + "{'name':'c','schema':false},{'name':'d'}]");
    assertThat(method.input().get("properties"))
        .isEqualTo(json("{'a':{'description':'how many'},'b':{'description':'of its own'},"
            + "'c':{'not':{}},'d':{}}"));
  }

  @Test
  void summaryAndDescriptionAreJoined() {
    assertThat(method("'summary':'short'").description()).isEqualTo("short");
    assertThat(method("'description':'long'").description()).isEqualTo("long");
    assertThat(method("'summary':'short','description':'long'").description())
        .isEqualTo("short\n\nlong");
    assertThat(method("'summary':'Adds.','description':'Adds. Both are kept.'").description())
        .isEqualTo("Adds. Both are kept.");
    assertThat(method("'params':[]").description()).isNull();
  }

  @Test
  void referencedDefinitionsAreCopied() {
    RemoteMethod method = method(
        "'params':[{'$ref':'#/components/contentDescriptors/Order'}]",
        "{'contentDescriptors':{'Order':{'name':'order','required':true,"
            + "'schema':{'$ref':'#/components/schemas/Order'}}},"
            + "'schemas':{'Order':{'type':'object','properties':{"
            + "'item':{'$ref':'#/components/schemas/a~1b%20c'},"
            + "'next':{'$ref':'#/components/schemas/Order'}}},'a/b c':{'type':'string'},'Other':{}}}");
    assertThat(method.input())
        .isEqualTo(json("{'type':'object','properties':{'order':{'$ref':'#/$defs/Order'}},"
            + "'required':['order'],'additionalProperties':false,'$defs':{"
            + "'Order':{'type':'object','properties':{'item':{'$ref':'#/$defs/a_1b_20c'},"
            + "'next':{'$ref':'#/$defs/Order'}}},'a_1b_20c':{'type':'string'}}}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#/components/schemas/Nothing",
        "#/methods/7",
        "#/components/%zz",
        "#",
        "https://example.com/order.json",
        "order.json#/Order"
      })
  void aReferenceWithoutATargetAcceptsAnything(String reference) {
    RemoteMethod method = method("'params':[{'name':'a','schema':{'type':'array','items':"
        + "{'$ref':'" + reference + "'}}}]");
    assertThat(method.input().get("properties"))
        .isEqualTo(json("{'a':{'type':'array','items':{}}}"));
    assertThat(method.input().get("$defs")).isNull();
  }

  @Test
  void circularReferencesAreRead() {
    RemoteMethod method = method(
        "'params':[{'$ref':'#/components/x/a'}],'result':{'name':'r','schema':{'$ref':'#/components/x/a'}}",
        "{'x':{'a':{'$ref':'#/components/x/b'},'b':{'$ref':'#/components/x/a'}}}");
    assertThat(method.input().get("properties")).isEqualTo(json("{'arg0':{}}"));
    assertThat(method.output()).isNull();
  }

  @Test
  void definitionsBeyondTheLimitAreLeftOut() {
    String large = "'description':'" + "x".repeat(200 << 10) + "'";
    RemoteMethod method = method(
        "'params':[{'name':'a','schema':{'$ref':'#/components/schemas/A'}},"
            + "{'name':'b','schema':{'$ref':'#/components/schemas/B'}}]",
        "{'schemas':{'A':{" + large + "},'B':{" + large + "}}}");
    assertThat(method.input().get("properties"))
        .isEqualTo(json("{'a':{'$ref':'#/$defs/A'},'b':{}}"));
    assertThat(Objects.requireNonNull(method.input().get("$defs")).members()).containsOnlyKeys("A");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'result':{'$ref':'#/components/large'}",
        "'result':{'name':'r','schema':{'$ref':'#/components/large/schema'}}",
        "'params':[{'$ref':'#/components/large'}]",
        "'params':[{'name':'a','schema':{'$ref':'#/components/large/schema'}}]"
      })
  void aDocumentThatRepeatsItselfByReferencesIsRejected(String members) {
    String large = "x".repeat(200 << 10);
    String document = "{'methods':["
        + IntStream.range(0, 10)
            .mapToObj(i -> "{'name':'m" + i + "'," + members + "}")
            .collect(Collectors.joining(","))
        + "],'components':{'large':{'name':'a','schema':{'type':'object','description':'" + large
        + "'}}}}";
    assertThatThrownBy(() ->
            new DescribedMethods(json(document), "the answer to rpc.discover", 1 << 20).methods())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("repeats more than 1 MiB of itself by references");
  }

  @Test
  void aParameterThatIsRepeatedInOneMethodCountsEachTime() {
    String document = "{'methods':[{'name':'m','params':["
        + "{'$ref':'#/components/a'},".repeat(10)
        + "{}]}],'components':{'a':{'name':'"
        + "n".repeat(200 << 10)
        + "'}}}";
    assertThatThrownBy(() ->
            new DescribedMethods(json(document), "the answer to rpc.discover", 1 << 20).methods())
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("repeats more than 1 MiB");
  }

  @Test
  void manyMethodsMayReferToTheSameDefinitions() {
    String methods = IntStream.range(0, 1_000)
        .mapToObj(i -> "{'name':'m" + i + "','params':[{'$ref':'#/components/a'}]}")
        .collect(Collectors.joining(","));
    assertThat(methods("{'methods':[" + methods + "],'components':{'a':{'name':'a','description':'"
            + "d".repeat(10 << 10) + "'}}}"))
        .hasSize(1_000);
  }

  @Test
  void onlyAnObjectBecomesTheOutputSchema() {
    String components = "{'schemas':{'Order':{'type':'object','properties':{"
        + "'next':{'$ref':'#/components/schemas/Order'}}}}}";
    assertThat(method(
                "'result':{'name':'r','schema':{'$ref':'#/components/schemas/Order'}}", components)
            .output())
        .isEqualTo(
            json(
                "{'type':'object','properties':{'next':{'$ref':'#/$defs/Order'}},"
                    + "'$defs':{'Order':{'type':'object','properties':{'next':{'$ref':'#/$defs/Order'}}}}}"));
    assertThat(method("'result':{'name':'r','schema':{'type':'string'}}").output())
        .isNull();
    assertThat(method("'result':{'name':'r','schema':true}").output()).isNull();
    assertThat(method("'result':null").output()).isNull();
  }

  @Test
  void paramsAreNamedUnlessTheDocumentSaysOtherwise() {
    String params = "'params':[{'name':'a'},{'name':'b'},{'name':'c'}]";
    Json arguments = json("{'c':3,'a':1}");
    for (String structure : List.of("either", "by-name", "unheard-of")) {
      assertThat(method("'paramStructure':'" + structure + "'," + params).params(arguments))
          .isEqualTo(arguments);
    }
    RemoteMethod method = method("'paramStructure':'by-position'," + params);
    assertThat(method.params(arguments)).isEqualTo(json("[1,null,3]"));
    assertThat(method.params(json("{'b':2}"))).isEqualTo(json("[null,2]"));
    assertThat(method.params(json("{}"))).isNull();
  }

  @Test
  void theElementsOfAVariadicParameterAreSeparateParams() {
    RemoteMethod method = method("'paramStructure':'by-position',"
        + "'params':[{'name':'format'},{'name':'rest','x-variadic':true}]");
    assertThat(method.params(json("{'format':'%s','rest':[1,'2',[3]]}")))
        .isEqualTo(json("['%s',1,'2',[3]]"));
    assertThat(method.params(json("{'format':'%s','rest':[]}"))).isEqualTo(json("['%s']"));
  }

  @Test
  void reservedAndNamelessMethodsAreNoTools() {
    assertThat(methods("{'methods':[{'name':'rpc.discover'},{'name':'a'},{},7,{'name':5},"
            + "{'name':'a'},{'$ref':'#/x'}],'x':{'name':'b'}}"))
        .extracting(RemoteMethod::name)
        .containsExactly("a", "b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "null", "'text'", "{'methods':{}}"})
  void aDocumentWithoutMethodsIsRejected(String document) {
    assertThatThrownBy(() -> methods(document))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("not an OpenRPC document");
  }
}
