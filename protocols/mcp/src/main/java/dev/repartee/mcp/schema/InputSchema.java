package dev.repartee.mcp.schema;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Builds the input schema of a tool. Not thread-safe. */
public final class InputSchema {
  private static final Json NEVER = Json.parse("{\"not\":{}}");

  /** Keywords whose value is an object of schemas. */
  private static final Set<String> NAMED =
      Set.of("properties", "patternProperties", "$defs", "definitions", "dependentSchemas");

  /** Keywords whose value is a schema or an array of schemas. */
  private static final Set<String> PARTS = Set.of(
      "items",
      "prefixItems",
      "contains",
      "propertyNames",
      "allOf",
      "anyOf",
      "oneOf",
      "if",
      "then",
      "else");

  private final JsonObjectBuilder properties = new JsonObjectBuilder();
  private final List<String> required = new ArrayList<>();

  public boolean has(String name) {
    return properties.has(name);
  }

  public void add(String name, Json schema, boolean isRequired) {
    properties.put(name, asObject(schema));
    if (isRequired) {
      required.add(name);
    }
  }

  /**
   * Replaces the schemas {@code true} and {@code false} by equivalent objects, at any depth,
   * because many clients support only objects.
   */
  public static Json asObject(Json schema) {
    return switch (schema.kind()) {
      case OBJECT -> {
        JsonObjectBuilder writer = new JsonObjectBuilder();
        schema.members().forEach((name, value) -> writer.put(name, part(name, value)));
        yield writer.build();
      }
      case BOOLEAN -> schema.equals(Json.FALSE) ? NEVER : Json.EMPTY_OBJECT;
      default -> Json.EMPTY_OBJECT;
    };
  }

  /** Returns the value of a keyword, with all schemas in it as objects. */
  private static Json part(String name, Json value) {
    if (NAMED.contains(name) && value.kind() == Json.Kind.OBJECT) {
      JsonObjectBuilder schemas = new JsonObjectBuilder();
      value.members().forEach((each, schema) -> schemas.put(each, asObject(schema)));
      return schemas.build();
    } else if (PARTS.contains(name) && value.kind() == Json.Kind.ARRAY) {
      return Json.of(value.elements().stream().map(InputSchema::asObject).toList());
    } else if (PARTS.contains(name)) {
      return asObject(value);
    }
    // Clients do support {@code false} here, the common way to forbid further members.
    return name.equals("additionalProperties") && !value.equals(Json.FALSE)
        ? asObject(value)
        : value;
  }

  /** Returns the members of the schema, which forbids further arguments. */
  public JsonObjectBuilder members() {
    return new JsonObjectBuilder()
        .put("type", "object")
        .put("properties", properties.build())
        .putUnlessEmpty("required", required)
        .put("additionalProperties", Json.FALSE);
  }
}
