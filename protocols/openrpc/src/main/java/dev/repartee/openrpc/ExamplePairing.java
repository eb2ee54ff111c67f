package dev.repartee.openrpc;

import dev.repartee.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An example call with its result (OpenRPC, Example Pairing Object).
 *
 * @param params the values of the params, in the order of the parameters
 * @param result the result; null for a notification
 */
public record ExamplePairing(
    String name,
    @Nullable String description,
    List<Argument> params,
    @Nullable Json result) {
  /** The value of a param; {@code name} is the name of the example, often of the parameter. */
  public record Argument(String name, Json value) {
    static Argument of(Node example) {
      return new Argument(example.string("name"), ExamplePairing.value(example));
    }
  }

  static ExamplePairing of(Node node, References references) {
    List<Argument> params = references.all(node, "params", Argument.class, Argument::of);
    Node result = node.get("result");
    String name = node.optionalString("name");
    return new ExamplePairing(
        name == null ? "example" : name,
        node.optionalString("description"),
        params,
        result == null ? null : value(references.resolve(result)));
  }

  private static Json value(Node example) {
    Node value = example.get("value");
    return value == null ? Json.NULL : value.value(); // some documents write null in this way
  }
}
