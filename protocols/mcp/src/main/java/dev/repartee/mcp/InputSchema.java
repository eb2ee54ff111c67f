package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.List;

/** The schema of the arguments of a tool in the making. For one thread. */
final class InputSchema {
  private static final Json NEVER = Json.parse("{\"not\":{}}");

  private final Members properties = new Members();
  private final List<String> required = new ArrayList<>();

  void add(String name, Json schema, boolean isRequired) {
    properties.put(name, asObject(schema));
    if (isRequired) {
      required.add(name);
    }
  }

  /** Clients before 2026-07-28 take no schema of a property that is just true or false. */
  private static Json asObject(Json schema) {
    return switch (schema.kind()) {
      case OBJECT -> schema;
      case BOOLEAN -> schema.equals(Json.FALSE) ? NEVER : Json.EMPTY_OBJECT;
      default -> Json.EMPTY_OBJECT;
    };
  }

  /** Its members; there may be no other arguments. */
  Members members() {
  boolean has(String name) {
    return properties.has(name);
  }

    return new Members()
        .put("type", "object")
        .put("properties", properties.json())
        .putAll("required", required)
        .put("additionalProperties", Json.FALSE);
  }
}
