package dev.repartee.openrpc.mock;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExampleCallsTest {
  private static final String URI = "http://localhost/rpc?a=b";

  private static ExampleCall call(String members, String components) {
    OpenRpc document = OpenRpc.of(Json.parse("""
        {"openrpc":"1.4.1","info":{"title":"t","version":"1"},"methods":[{"name":"a b",%s}],
         "components":%s}""".formatted(members, components)));
    return new ExampleCalls(document).of(document.methods().get(0));
  }

  private static ExampleCall call(String members) {
    return call(members, "{}");
  }

  private static String command(String members) {
    return call(members).repartee(URI);
  }

  @Test
  void wordsOfAShellAreQuoted() {
    ExampleCall call = call("""
        "params":[{"name":"p","required":true,"schema":{"examples":["it's"]}}],
        "result":{"name":"r","schema":true}""");
    assertThat(call.repartee(URI))
        .isEqualTo("repartee call 'http://localhost/rpc?a=b' 'a b' 'it'\\''s'");
    assertThat(call.curl(URI))
        .isEqualTo("curl -s -H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,"
            + "\"method\":\"a b\",\"params\":[\"it'\\''s\"]}' 'http://localhost/rpc?a=b'");
  }

  @Test
  void aStringThatLooksLikeJsonOrAnOptionKeepsItsQuotes() {
    assertThat(command("""
        "params":[
          {"name":"p","required":true,"schema":{"default":"42"}},
          {"name":"q","required":true,"schema":{"default":"--x"}},
          {"name":"r","required":true,"schema":{"default":42}}],
        "result":{"name":"r","schema":true}""")).endsWith(" '\"42\"' '\"--x\"' 42");
  }

  @Test
  void aCallByNameNamesItsArguments() {
    ExampleCall call = call("""
        "paramStructure":"by-name",
        "params":[{"name":"p q","required":true,"schema":{"const":true}},
          {"name":"optional","schema":{"const":1}}],
        "result":{"name":"r","schema":true}""");
    assertThat(call.repartee(URI)).endsWith(" --named 'p q=true'");
    assertThat(call.request().get("params")).hasToString("{\"p q\":true}");
  }

  @Test
  void noNameOfADocumentBecomesAnOption() {
    OpenRpc document = OpenRpc.of(Json.parse("""
        {"openrpc":"1.4.1","info":{"title":"t","version":"1"},"methods":[
          {"name":"--trace=/tmp/x","paramStructure":"by-name",
            "params":[{"name":"p","required":true,"schema":{"const":1}}],
            "result":{"name":"r","schema":true}},
          {"name":"tool","x-mcp":true,
            "params":[{"name":"--trace","required":true,"schema":{"const":1}}],
            "result":{"name":"r","schema":true}}]}"""));
    ExampleCalls calls = new ExampleCalls(document);
    assertThat(calls.of(document.methods().get(0)).repartee("tcp://a:1"))
        .isEqualTo("repartee call tcp://a:1 --named p=1 -- --trace=/tmp/x");
    assertThat(calls.of(document.methods().get(1)).repartee("tcp://a:1"))
        .isEqualTo("repartee mcp call tcp://a:1 -- tool --trace=1");
  }

  @Test
  void notificationsAndStreamsHaveTheirCommands() {
    assertThat(command("\"params\":[]")).startsWith("repartee notify ");
    assertThat(command("""
        "params":[],"result":{"name":"r","schema":true},"x-stream":{"form":"call"}""")).endsWith(" --stream");
    assertThat(command("""
        "params":[],"result":{"name":"r","schema":true},
        "x-stream":{"form":"subscription","notification":"n","unsubscribe":"u"}""")).endsWith(" --subscribe n,u");
  }

  @Test
  void theRequestHasTheExampleOfTheDocument() {
    ExampleCall call = call("""
        "params":[{"name":"p","required":true,"schema":{"type":"integer"}}],
        "result":{"name":"r","schema":true},
        "examples":[{"name":"e","params":[{"name":"x","value":7}],
          "result":{"name":"y","value":8}}]""");
    assertThat(call.request())
        .hasToString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a b\",\"params\":[7]}");
    assertThat(call.result()).hasToString("8");
  }

  @Test
  void theElementsOfAVariadicParameterAreParams() {
    String method = """
        "params":[{"name":"p","schema":{"type":"array","items":{"const":5}},"x-variadic":true}],
        "result":{"name":"r","schema":true}""";
    assertThat(command(method)).endsWith(" 5");
    assertThat(command(method + """
        ,"examples":[{"name":"e","params":[{"name":"p","value":[1,2]}]}]""")).endsWith(" 1 2");
    assertThat(command(method + ",\"paramStructure\":\"by-name\"")).endsWith(" --named 'p=[5]'");
  }

  @Test
  void valuesFitTheirSchemas() {
    assertThat(command("""
        "params":[{"name":"p","required":true,"schema":{"type":"string","pattern":"^0x[0-9a-f]{8}$"}},
          {"name":"q","required":true,"schema":{"type":"integer","minimum":7,"maximum":9}}],
        "result":{"name":"r","schema":true}""")).matches(".* 0x[0-9a-f]{8} [789]");
  }

  @Test
  void aValueIsWrittenOnOneLine() {
    ExampleCall call = call("""
        "params":[{"name":"p","required":true,"schema":{"default":[
          1,
          2]}}],"result":{"name":"r","schema":true}""");
    assertThat(call.repartee(URI)).endsWith(" '[1,2]'");
    assertThat(call.curl(URI)).doesNotContain("\n");
  }

  @Test
  void nullStandsForAValueThatIsNotFound() {
    assertThat(command("""
        "params":[{"name":"p","required":true,"schema":{"type":"string","pattern":"(?=b)a"}}],
        "result":{"name":"r","schema":true}""")).endsWith(" null");
  }

  @Test
  void aLongValueHasNoOptionalParts() {
    String members =
        IntStream.range(0, 90).mapToObj(i -> "\"m" + i + "\":{}").collect(joining(","));
    assertThat(command("""
        "params":[{"name":"p","required":true,"schema":{"type":"object","required":["m1"],
          "properties":{%s}}}],
        "result":{"name":"r","schema":true}""".formatted(members))).contains("{\"m1\":").doesNotContain("m2");
  }

  @Test
  void aRecursiveTypeHasAValueOfLimitedSize() {
    String members = IntStream.range(0, 90).mapToObj(i -> "\"m" + i + "\"").collect(joining(","));
    String described = members.replaceAll(
        "\"m[0-9]+\"",
        "$0:{\"type\":\"array\",\"items\":{\"\\$ref\":\"#/components/schemas/Tree\"}}");
    ExampleCall call = call("""
        "params":[{"name":"p","required":true,"schema":{"$ref":"#/components/schemas/Tree"}}]""", """
        {"schemas":{"Tree":{"required":[%s],"properties":{%s}}}}""".formatted(members, described));
    assertThat(call.request().length()).isBetween(500, 10_000);
  }
}
