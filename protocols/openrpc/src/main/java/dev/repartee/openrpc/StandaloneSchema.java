package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * Copies a schema out of a document, with the definitions that it refers to. The copy is a schema of
 * draft-07, as OpenRPC prescribes. Not thread-safe.
 */
final class StandaloneSchema {
  private static final Json DRAFT = Json.of("http://json-schema.org/draft-07/schema#");

  private final References references;
  private final Map<String, String> names = new HashMap<>();
  private final PartNames definitions = new PartNames(Set.of());
  private final Queue<Definition> waiting = new ArrayDeque<>();

  /** A definition that is not copied yet. */
  private record Definition(String name, Node schema) {}

  private StandaloneSchema(References references) {
    this.references = references;
  }

  /**
   * Returns the copy of a schema. Each definition is copied once.
   *
   * @throws OpenRpcException if a reference has no target
   */
  static Json of(Node schema, References references) {
    Node target = references.follow(schema);
    if (target.value().kind() != Json.Kind.OBJECT) {
      return target.value();
    }
    StandaloneSchema copy = new StandaloneSchema(references);
    Json root = copy.copy(target);
    JsonObjectBuilder definitions = new JsonObjectBuilder();
    for (Definition next = copy.waiting.poll(); next != null; next = copy.waiting.poll()) {
      definitions.put(next.name, copy.copy(next.schema));
    }
    JsonObjectBuilder all = new JsonObjectBuilder().put("$schema", DRAFT);
    root.members().forEach(all::put);
    return copy.names.isEmpty()
        ? all.build()
        : all.put("definitions", definitions.build()).build();
  }

  private Json copy(Node schema) {
    return Rewriting.of(schema, Part.SCHEMA, (node, reference, part) -> {
      Node target = references.target(node, reference);
      String name = names.computeIfAbsent(target.pointer(), pointer -> {
        String unique = definitions.unique(pointer.substring(pointer.lastIndexOf('/') + 1));
        waiting.add(new Definition(unique, target));
        return unique;
      });
      return "#/definitions/" + name;
    });
  }
}
