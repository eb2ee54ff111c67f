package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.access.Access;
import dev.repartee.json.Json;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Summaries, tags, deprecation, errors and examples in the document of {@code rpc.discover}. */
class MethodDocsTest {
  record Missing(List<String> near) {}

  @SuppressWarnings("deprecation") // javac expects an effect on its own warnings
  record Point(int x, @Deprecated int y) {}

  interface Orders {
    @Deprecated
    @Rpc(
        summary = "Finds an order",
        description = "Finds it by its id",
        tags = {"orders", "read"})
    @Rpc.Error(code = 404, message = "No such order", data = Missing.class)
    @Rpc.Error(code = 410, message = "It was deleted")
    @Rpc.Example(name = "one", params = "[7]", result = "\"seven\"")
    @Rpc.Example(name = "by name", params = "{\"id\":8,\"near\":null}", result = "\"eight\"")
    String find(
        int id,
        @Deprecated @Param(description = "A place", defaultsTo = "{\"x\":0,\"y\":0}") Point near);

    @Rpc(notification = true)
    @Rpc.Example(name = "note", params = "[\"a\", 1, 2]")
    void note(String text, int... more);

    @Rpc
    @Rpc.Example(name = "whole", params = "{\"x\":1,\"y\":2}", result = "3")
    int sum(Point point);

    @Rpc
    @Rpc.Example(name = "empty", result = "5")
    Stream<Integer> numbers();
  }

  static final class Served implements Orders {
    @Override
    public String find(int id, Point near) {
      return "";
    }

    @Override
    public void note(String text, int... more) {}

    @Override
    public int sum(Point point) {
      return point.x() + point.y();
    }

    @Override
    public Stream<Integer> numbers() {
      return Stream.of();
    }
  }

  private static Json document(Service service) {
    return OpenRpcSchema.valid(new Discovery(service, false, Access.OPEN).document(null));
  }

  private static Json method(Service service, String name) {
    return Objects.requireNonNull(document(service).get("methods")).elements().stream()
        .filter(method -> name.equals(method.string("name")))
        .findAny()
        .orElseThrow();
  }

  private static void has(Json object, String member, @Nullable String json) {
    assertThat(object.get(member)).as(member).isEqualTo(json == null ? null : Json.parse(json));
  }

  @Test
  void annotationsDescribeAMethod() {
    Service service = Service.of(new Served());
    Json find = method(service, "find");
    has(find, "summary", "\"Finds an order\"");
    has(find, "description", "\"Finds it by its id\"");
    has(find, "tags", "[{\"name\":\"orders\"},{\"name\":\"read\"}]");
    has(find, "deprecated", "true");
    has(find, "errors", """
        [{"code":404,"message":"No such order","data":{"$ref":"#/components/schemas/Missing"}},\
        {"code":410,"message":"It was deleted"}]""");
    has(find, "examples", """
        [{"name":"one","params":[{"name":"id","value":7}],\
        "result":{"name":"result","value":"seven"}},\
        {"name":"by name","params":[{"name":"id","value":8},{"name":"near","value":null}],\
        "result":{"name":"result","value":"eight"}}]""");
    assertThat(document(service).get("components")).asString().contains("\"Missing\":");
  }

  @Test
  void aDeprecatedParamAndComponentAreMarked() {
    Service service = Service.of(new Served());
    Json near = Objects.requireNonNull(method(service, "find").get("params")).at(1);
    assertThat(near).hasToString("""
        {"name":"near","description":"A place","required":false,"deprecated":true,\
        "schema":{"$ref":"#/components/schemas/Point"}}""");
    assertThat(document(service).get("components"))
        .asString()
        .contains("2147483647,\"deprecated\":true}},\"required\":[\"x\",\"y\"]");
    has(method(service, "sum"), "deprecated", null);
    has(method(service, "sum"), "tags", null);
    has(method(service, "sum"), "errors", null);
  }

  @Test
  void anExampleHasTheFormOfItsCall() {
    Service service = Service.of(new Served());
    has(method(service, "note"), "examples", """
        [{"name":"note","params":[{"name":"text","value":"a"},{"name":"more","value":[1,2]}]}]""");
    has(method(service, "sum"), "examples", """
        [{"name":"whole","params":[{"name":"point","value":{"x":1,"y":2}}],\
        "result":{"name":"result","value":3}}]""");
    has(method(service, "numbers"), "examples", """
        [{"name":"empty","params":[],"result":{"name":"item","value":5}}]""");
  }

  @Test
  void aBuilderDescribesALambda() {
    Service service = Service.builder()
        .add(RpcMethod.builder("sum")
            .summary("Adds")
            .tags("math")
            .deprecated()
            .error(1, "Too large", Missing.class)
            .error(2, "Too small")
            .example("three", "{\"x\":1,\"y\":2}", "3")
            .handler(Point.class, Integer.class, (point, call) -> point.x() + point.y()))
        .add(RpcMethod.builder("any").example("two", "[1,[]]", "").handler(Call::params))
        .build();
    Json sum = method(service, "sum");
    has(sum, "summary", "\"Adds\"");
    has(sum, "tags", "[{\"name\":\"math\"}]");
    has(sum, "deprecated", "true");
    has(sum, "errors", """
        [{"code":1,"message":"Too large","data":{"$ref":"#/components/schemas/Missing"}},\
        {"code":2,"message":"Too small"}]""");
    has(sum, "examples", """
        [{"name":"three","params":[{"name":"x","value":1},{"name":"y","value":2}],\
        "result":{"name":"result","value":3}}]""");
    has(method(service, "any"), "examples", """
        [{"name":"two","params":[{"name":"arg0","value":1},{"name":"arg1","value":[]}],\
        "result":{"name":"result","value":null}}]""");
  }

  // ---------------------------------------------------------------- mistakes

  static final class NoJson {
    @Rpc.Example(name = "e", params = "[1", result = "1")
    public int m(int a) {
      return a;
    }
  }

  static final class NoParams {
    @Rpc.Example(name = "e", params = "1", result = "1")
    public int m(int a) {
      return a;
    }
  }

  static final class Unfit {
    @Rpc.Example(name = "e", params = "{\"a\":true}", result = "1")
    public int m(int a) {
      return a;
    }
  }

  static final class Few {
    @Rpc.Example(name = "e", result = "1")
    public int m(int a) {
      return a;
    }
  }

  static final class UnfitResult {
    @Rpc.Example(name = "e", params = "[1]")
    public int m(int a) {
      return a;
    }
  }

  static final class SameCode {
    @Rpc.Error(code = 1, message = "a")
    @Rpc.Error(code = 1, message = "b")
    public void m() {}
  }

  static final class NoType {
    @Rpc.Error(code = 1, message = "a", data = InputStream.class)
    public void m() {}
  }

  @Test
  void mistakesAreSentencesAtTheStart() {
    mistake(new NoJson(), "NoJson.m: the example 'e': params is not JSON: at offset 2");
    mistake(new NoParams(), "m: the example 'e': params are an array or an object, not a number");
    mistake(new Unfit(), "Unfit.m: the example 'e': params do not fit: a: expected an integer");
    mistake(new Few(), "Few.m: the example 'e': params do not fit: missing: a");
    mistake(new UnfitResult(), "m: the example 'e': the result does not fit: expected an integer");
    mistake(new SameCode(), "SameCode.m: two errors have the code 1");
    mistake(new NoType(), "NoType.m: cannot bind java.io.InputStream to JSON");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RpcMethod.builder("sum")
            .example("e", "{\"x\":1}", "3")
            .handler(Point.class, Integer.class, (point, call) -> point.x()))
        .withMessage("the method 'sum': the example 'e': params do not fit: missing: y");
  }

  private static void mistake(Object service, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(service))
        .withMessageContaining(message);
  }
}
