package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SchemaReaderTest {
  private static final String ADDRESS = """
      {"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}""";

  /** Returns an API with one method, whose result has a schema. */
  private static Api api(String result, String components) {
    return ApiReader.read(OpenRpc.of(Json.parse("""
        {"openrpc":"1.4.1","info":{"title":"t","version":"1"},"components":{"schemas":{%s}},
         "methods":[{"name":"get","params":[],"result":{"name":"r","schema":%s}}]}""".formatted(components, result))));
  }

  /** Returns the type of a result and the declarations that it needs. */
  private static String read(String result) {
    return read(result, "");
  }

  private static String read(String result, String components) {
    Api api = api(result, components);
    Map<String, String> texts = new LinkedHashMap<>();
    api.declarations().forEach(each -> texts.put(each.name(), text(each.body())));
    return text(api.operations().get(0).result())
        + texts.entrySet().stream()
            .map(each -> "; " + each.getKey() + " = " + each.getValue())
            .collect(Collectors.joining());
  }

  private static String text(Body body) {
    if (body instanceof Body.Members object) {
      return object.members().stream()
          .map(each -> each.name() + (each.required() ? ": " : "?: ") + text(each.type()))
          .collect(Collectors.joining(", ", "{", "}"));
    } else if (body instanceof Body.Values values) {
      return String.join("/", values.values());
    } else if (body instanceof Body.Union union) {
      return union.alternatives().stream()
          .map(each ->
              (each.tag() == null ? "" : union.tag() + '=' + each.tag() + ' ') + text(each.type()))
          .collect(Collectors.joining(" | "));
    }
    return "alias " + text(((Body.Alias) body).type());
  }

  private static String text(Type type) {
    if (type instanceof Type.ListOf list) {
      return text(list.items()) + "[]";
    } else if (type instanceof Type.MapOf map) {
      return "map of " + text(map.values());
    } else if (type instanceof Type.OrNull nullable) {
      return text(nullable.type()) + " or null";
    } else if (type instanceof Type.Named named) {
      return named.declaration().name();
    } else if (type instanceof Type.Constant constant) {
      return constant.value().toString();
    }
    return type instanceof Type.Any ? "any" : type.toString().toLowerCase(java.util.Locale.ROOT);
  }

  @Test
  void scalarsNeedNoDeclaration() {
    assertThat(read("{\"type\":\"string\",\"pattern\":\"^0x\"}")).isEqualTo("string");
    assertThat(read("{\"type\":\"integer\"}")).isEqualTo("integer");
    assertThat(read("{\"type\":[\"number\"]}")).isEqualTo("number");
    assertThat(read("{\"type\":[\"boolean\",\"null\"]}")).isEqualTo("boolean or null");
    assertThat(read("{\"type\":\"integer\",\"nullable\":true}")).isEqualTo("integer or null");
    assertThat(read("{\"pattern\":\"^0x\"}")).isEqualTo("string");
    assertThat(read("{}")).isEqualTo("any");
    assertThat(read("true")).isEqualTo("any");
  }

  @Test
  void listsAndMapsNeedNoDeclaration() {
    assertThat(read("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")).isEqualTo("string[]");
    assertThat(read("{\"type\":\"array\"}")).isEqualTo("any[]");
    assertThat(read("{\"items\":[{\"type\":\"string\"}],\"type\":\"array\"}"))
        .isEqualTo("string[]");
    assertThat(read("""
        {"type":"array","items":[{"type":"string"},{"type":"integer"}]}""")).isEqualTo("any[]");
    assertThat(read("{\"type\":\"object\"}")).isEqualTo("map of any");
    assertThat(read("{\"additionalProperties\":{\"type\":\"integer\"}}"))
        .isEqualTo("map of integer");
    assertThat(read("{\"patternProperties\":{\"^0x\":{\"type\":\"integer\"}}}"))
        .isEqualTo("map of integer");
    assertThat(read("{\"type\":\"object\",\"additionalProperties\":false}")).isEqualTo("any");
  }

  @Test
  void anInlineObjectIsNamedByItsTitleOrItsPath() {
    assertThat(read(ADDRESS)).isEqualTo("get result; get result = {city: string}");
    assertThat(read(ADDRESS.replace("{\"type\":\"object\"", "{\"title\":\"A place\"")))
        .isEqualTo("A place; A place = {city: string}");
    assertThat(read(
            "{\"title\":\"" + "long ".repeat(9) + "\",\"properties\":{\"a\":" + ADDRESS + "}}"))
        .isEqualTo("get result; get result a = {city: string}; get result = {a?: get result a}");
    assertThat(read("{\"type\":\"array\",\"items\":" + ADDRESS + "}"))
        .isEqualTo("get result item[]; get result item = {city: string}");
  }

  @Test
  void equalInlineSchemasShareADeclaration() {
    String described = ADDRESS.replace("\"string\"", "\"string\",\"description\":\"text\"");
    assertThat(read("{\"properties\":{\"a\":" + ADDRESS + ",\"b\":" + described + "}}"))
        .isEqualTo("get result; get result a = {city: string};"
            + " get result = {a?: get result a, b?: get result a}");
    String home = ADDRESS.replace("\"object\"", "\"object\",\"title\":\"Home\"");
    String shop = ADDRESS.replace("\"object\"", "\"object\",\"title\":\"Shop\"");
    assertThat(read("{\"properties\":{\"a\":" + home + ",\"b\":" + shop + "}}"))
        .contains("Home = {city: string}; Shop = {city: string}");
    assertThat(read(ADDRESS, "\"Address\":" + ADDRESS))
        .isEqualTo("Address; Address = {city: string}");
  }

  @Test
  void referencesAreNamedByTheirTarget() {
    assertThat(read("{\"$ref\":\"#/components/schemas/id\"}", "\"id\":{\"type\":\"string\"}"))
        .isEqualTo("id; id = alias string");
    assertThat(read("{\"$ref\":\"#/components/schemas/A/properties/b\"}", """
        "A":{"properties":{"b":{"type":"integer"}}}"""))
        .isEqualTo("integer; A = {b?: integer}");
  }

  @Test
  void aComponentMayHaveAnyName() {
    String name = "x".repeat(1_001);
    String components = """
        "50%/a b":{"type":"string"},"50%25~1a%20b":{"type":"integer"},"NAME":{}\
        """.replace("NAME", name);
    assertThat(read("{\"$ref\":\"#/components/schemas/50%25~1a%20b\"}", components))
        .isEqualTo("50%/a b; 50%/a b = alias string; 50%25~1a%20b = alias integer; " + name
            + " = alias any");
  }

  @Test
  void aReferenceWithTextsIsTheReference() {
    String address = "\"Address\":" + ADDRESS;
    assertThat(read("{\"$ref\":\"#/components/schemas/Address\",\"title\":\"x\"}", address))
        .isEqualTo("Address; Address = {city: string}");
    String described = """
        {"allOf":[{"$ref":"#/components/schemas/Address"}],"description":"x"}""";
    assertThat(read(described, address)).isEqualTo("Address; Address = {city: string}");
  }

  @Test
  void typesMayBeRecursive() {
    assertThat(read("{\"$ref\":\"#/components/schemas/Tree\"}", """
        "Tree":{"properties":{"kids":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}}}}
        """))
        .isEqualTo("Tree; Tree = {kids?: Tree[]}");
    assertThat(read("{\"$ref\":\"#/components/schemas/Json\"}", """
        "Json":{"oneOf":[{"type":"string"},
          {"type":"array","items":{"$ref":"#/components/schemas/Json"}}]}
        """))
        .isEqualTo("Json; Json = string | Json[]");
  }

  @Test
  void allOfIsMerged() {
    assertThat(read("""
        {"allOf":[{"$ref":"#/components/schemas/Address"},
          {"required":["code"],"properties":{"code":{"type":"integer"}}}]}""", "\"Address\":" + ADDRESS))
        .isEqualTo("get result; Address = {city: string};"
            + " get result = {city: string, code: integer}");
  }

  @Test
  void stringsOfAFixedSetAreDeclared() {
    assertThat(read("{\"enum\":[\"a\",\"b\"]}")).isEqualTo("get result; get result = a/b");
    assertThat(read("{\"enum\":[\"a\",\"b\",null]}"))
        .isEqualTo("get result or null; get result = a/b");
    assertThat(read("{\"oneOf\":[{\"const\":\"a\"},{\"enum\":[\"b\"]}]}"))
        .isEqualTo("get result; get result = a/b");
    assertThat(read("{\"const\":\"a\"}")).isEqualTo("\"a\"");
    assertThat(read("{\"enum\":[1,2.5]}")).isEqualTo("number");
    assertThat(read("{\"enum\":[1,\"a\"]}")).isEqualTo("any");
  }

  @Test
  void aConstantMemberDistinguishesAlternatives() {
    assertThat(read("""
        {"oneOf":[
          {"required":["t"],"properties":{"t":{"const":"a"}}},
          {"required":["t"],"properties":{"t":{"enum":["b"]}}}]}"""))
        .isEqualTo("get result; get result a = {t: \"a\"}; get result b = {t: \"b\"};"
            + " get result = t=a get result a | t=b get result b");
  }

  @Test
  void alternativesOfOneFormAreOne() {
    assertThat(read("{\"oneOf\":[{\"pattern\":\"^0x\"},{\"type\":\"string\"}]}"))
        .isEqualTo("string");
    assertThat(read("{\"type\":[\"integer\",\"number\"]}")).isEqualTo("number");
    assertThat(read("""
        {"anyOf":[{"type":"array","items":{"type":"string"}},
          {"type":"array","items":{"type":"integer"}}]}""")).isEqualTo("get result item[]; get result item = string | integer");
    assertThat(read("{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"integer\"}]}"))
        .isEqualTo("integer or null");
    assertThat(read("{\"anyOf\":[{\"type\":\"string\"},{}]}")).isEqualTo("any");
  }

  @Test
  void aStringOfASetPrecedesAnyString() {
    assertThat(read("{\"type\":[\"string\",\"boolean\"]}"))
        .isEqualTo("get result; get result = string | boolean");
    assertThat(
            read("{\"anyOf\":[{\"type\":\"string\"},{\"title\":\"Tag\",\"enum\":[\"a\",\"b\"]}]}"))
        .isEqualTo("get result; Tag = a/b; get result = Tag | string");
  }

  @Test
  void commonMembersBelongToEachAlternative() {
    assertThat(read("""
        {"properties":{"a":{"type":"string"}},"oneOf":[
          {"title":"B","required":["b"],"properties":{"b":{"type":"string"}}},
          {"title":"C","required":["c"],"properties":{"c":{"type":"string"}}}]}"""))
        .isEqualTo("get result; get result B = {a?: string, b: string};"
            + " get result C = {a?: string, c: string}; get result = get result B | get result C");
    assertThat(read("""
        {"properties":{"a":{"type":"string"},"b":{"type":"string"}},
         "anyOf":[{"required":["a"]},{"required":["b"]}]}""")).isEqualTo("get result; get result = {a?: string, b?: string}");
  }

  @Test
  void methodsOfTheServersSoftwareAreLeftOut() {
    Api api = ApiReader.read(OpenRpc.of(Json.parse("""
        {"openrpc":"1.4.1","info":{"title":"t","version":"1"},"methods":[
          {"name":"rpc.status","params":[],"result":{"name":"r","schema":%s}},
          {"name":"rpc","params":[]}]}""".formatted(ADDRESS))));
    assertThat(api.operations()).extracting(Api.Operation::name).containsExactly("rpc");
    assertThat(api.declarations()).isEmpty();
  }

  @Test
  void chainsOfReferencesNeedNoStack() {
    String chain = IntStream.range(0, 20_000)
        .mapToObj(i -> "\"S%d\":{\"properties\":{\"p\":{\"$ref\":\"#/components/schemas/S%d\"}}}"
            .formatted(i, i + 1))
        .collect(Collectors.joining(","));
    assertThat(api("true", chain + ",\"S20000\":{}").declarations()).hasSize(20_001);
  }

  @Test
  void partsThatDoubleAreMergedOnce() {
    String doubling = IntStream.range(0, 60)
        .mapToObj(i -> {
          String next = "{\"$ref\":\"#/components/schemas/S%d\"}".formatted(i + 1);
          return "\"S%d\":{\"allOf\":[%s,%s]}".formatted(i, next, next);
        })
        .collect(Collectors.joining(","));
    List<Declaration> all = api("true", doubling + ",\"S60\":" + ADDRESS).declarations();
    assertThat(all).hasSize(61);
    assertThat(text(all.get(0).body())).isEqualTo("{city: string}");
  }
}
