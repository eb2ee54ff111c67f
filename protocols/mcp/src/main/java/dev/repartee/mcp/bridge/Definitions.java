package dev.repartee.mcp.bridge;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Copies schemas out of an OpenRPC document. The definitions that a schema refers to are copied to
 * its {@code $defs}. A reference without a target is removed: any value is valid there, and the
 * service checks the value itself. Not thread-safe.
 */
final class Definitions {
  private static final String REF = "$ref";

  /**
   * The maximum number of bytes of definitions per method. More is of no use to a model, and a
   * method that refers to the whole document must not copy it.
   */
  private static final int MAX_BYTES = 256 << 10;

  private static final int LONGEST_NAME = 100;

  private final DescribedMethods document;
  private final UniqueNames unique = new UniqueNames(LONGEST_NAME);
  private final Map<String, String> names = new HashMap<>();
  private final Queue<Definition> waiting = new ArrayDeque<>();
  private int bytes;

  Definitions(DescribedMethods document) {
    this.document = document;
  }

  /** Returns the schema with its references changed to definitions of this object. */
  Json take(Json schema) {
    return switch (schema.kind()) {
      case ARRAY -> Json.of(schema.elements().stream().map(this::take).toList());
      case OBJECT -> {
        JsonObjectBuilder copy = new JsonObjectBuilder();
        schema.members().forEach((name, value) -> {
          boolean reference = name.equals(REF) && value.kind() == Json.Kind.STRING;
          copy.put(name, reference ? refer(value.as(String.class)) : take(value));
        });
        yield copy.build();
      }
      default -> schema;
    };
  }

  private @Nullable String refer(String reference) {
    String name = names.get(reference);
    if (name == null) {
      Json target = document.find(reference);
      if (target == null || bytes + target.length() > MAX_BYTES) {
        return null;
      }
      bytes += document.copied(target).length();
      name = unique.of(reference.substring(reference.lastIndexOf('/') + 1));
      names.put(reference, name);
      waiting.add(new Definition(name, target));
    }
    return "#/$defs/" + name;
  }

  /** Adds the definitions with a reference to them, directly or from other definitions. */
  JsonObjectBuilder addTo(JsonObjectBuilder schema) {
    JsonObjectBuilder definitions = new JsonObjectBuilder();
    for (Definition next = waiting.poll(); next != null; next = waiting.poll()) {
      definitions.put(next.name, take(next.schema));
    }
    return names.isEmpty() ? schema : schema.put("$defs", definitions.build());
  }

  /** A definition that is not copied yet, with the schema of the document. */
  private record Definition(String name, Json schema) {}
}
