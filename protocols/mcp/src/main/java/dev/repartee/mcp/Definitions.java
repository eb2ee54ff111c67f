package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Schemas that are taken out of a document to stand in another: what they refer to comes along, as
 * {@code $defs}. A reference that leads nowhere is left out, so that anything fits: the service itself
 * knows better. For one thread.
 */
final class Definitions {
  private static final String REF = "$ref";

  /** Bytes of definitions for one method: no model reads more, and what refers to all is not copied. */
  private static final int MAX_BYTES = 256 << 10;

  private static final int LONGEST_NAME = 100;

  private final OpenRpcDocument document;
  private final UniqueNames unique = new UniqueNames(LONGEST_NAME);
  private final Map<String, String> names = new HashMap<>();
  private final Queue<Definition> waiting = new ArrayDeque<>();
  private int bytes;

  Definitions(OpenRpcDocument document) {
    this.document = document;
  }

  /** The schema, with references to definitions here. */
  Json take(Json schema) {
    return switch (schema.kind()) {
      case ARRAY -> Json.of(schema.elements().stream().map(this::take).toList());
      case OBJECT -> {
        Members copy = new Members();
        schema.members().forEach((name, value) -> {
          boolean reference = name.equals(REF) && value.kind() == Json.Kind.STRING;
          copy.put(name, reference ? refer(value.as(String.class)) : take(value));
        });
        yield copy.json();
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
      bytes += target.length();
      name = unique.of(reference.substring(reference.lastIndexOf('/') + 1));
      names.put(reference, name);
      waiting.add(new Definition(name, target));
    }
    return "#/$defs/" + name;
  }

  /** Adds what was referred to, and what that refers to. */
  Members addTo(Members schema) {
    Members definitions = new Members();
    for (Definition next = waiting.poll(); next != null; next = waiting.poll()) {
      definitions.put(next.name, take(next.schema));
    }
    return names.isEmpty() ? schema : schema.put("$defs", definitions.json());
  }

  /** One that is referred to, still as the document has it. */
  private record Definition(String name, Json schema) {}
}
