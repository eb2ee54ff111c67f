package dev.repartee.cli.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An OpenRPC document that the command writes for a server of another protocol. */
final class Described {
  private final String title;
  private final String version;
  private final List<Json> methods = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final JsonObjectBuilder schemas = new JsonObjectBuilder();

  /** @param info an object with {@code name} and {@code version} */
  Described(@Nullable Json info) {
    this(info == null ? null : info.string("name"), info == null ? null : info.string("version"));
  }

  Described(@Nullable String title, @Nullable String version) {
    this.title = title == null ? "untitled" : title;
    this.version = version == null ? "0" : version;
  }

  /** Adds a method, unless it has no name or the name of an earlier one. */
  void add(@Nullable String name, JsonObjectBuilder members) {
    if (name != null && names.add(name)) {
      Json others = members.build();
      JsonObjectBuilder method = new JsonObjectBuilder().put("name", name);
      others.members().forEach(method::put);
      methods.add(method.build());
    }
  }

  /** Adds a schema to the components. */
  void schema(String name, Json schema) {
    schemas.put(name, schema);
  }

  /** Returns a parameter. */
  static Json param(String name, boolean isRequired, Json schema) {
    return new JsonObjectBuilder()
        .put("name", name)
        .flag("required", isRequired)
        .put("schema", schema)
        .build();
  }

  /** Returns the result of a method. */
  static Json result(Json schema) {
    return new JsonObjectBuilder().put("name", "result").put("schema", schema).build();
  }

  Json json() {
    JsonObjectBuilder document = new JsonObjectBuilder()
        .put("openrpc", "1.4.1")
        .put(
            "info",
            new JsonObjectBuilder().put("title", title).put("version", version).build())
        .put("methods", methods);
    Json components = schemas.build();
    return components.members().isEmpty()
        ? document.build()
        : document
            .put(
                "components", new JsonObjectBuilder().put("schemas", components).build())
            .build();
  }
}
