package dev.repartee.openrpc;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A parameter or a result (OpenRPC, Content Descriptor Object).
 *
 * @param schema the JSON Schema (draft-07) of the value, with references into the document
 * @param required whether the parameter must be present; of no meaning for a result
 * @param variadic whether the parameter is an array, of which each element is a further positional
 *     param ({@code x-variadic})
 * @param json the object in the document, with the extensions ({@code x-...})
 * @param pointer the JSON pointer of the schema in the document
 */
public record ContentDescriptor(
    String name,
    @Nullable String summary,
    @Nullable String description,
    Json schema,
    boolean required,
    boolean deprecated,
    boolean variadic,
    Json json,
    String pointer) {
  static ContentDescriptor of(Node node) {
    Node schema = schema(node);
    return new ContentDescriptor(
        node.string("name"),
        node.optionalString("summary"),
        node.optionalString("description"),
        schema.value(),
        node.flag("required"),
        node.flag("deprecated"),
        node.flag("x-variadic"),
        node.value(),
        schema.pointer());
  }

  /** Returns the summary and the description, as {@link MethodDescriptor#text} does. */
  public String text() {
    return MethodDescriptor.text(summary, description);
  }

  /** Returns the schema with its pointer. */
  Node node() {
    return new Node(schema, pointer, false);
  }

  private static Node schema(Node node) {
    Node schema = node.get("schema");
    if (schema != null
        && (schema.value().kind() == Json.Kind.BOOLEAN
            || schema.value().kind() == Json.Kind.OBJECT)) {
      return schema;
    }
    if (node.isLenient()) {
      return new Node(Json.EMPTY_OBJECT, node.pointer() + "/schema", true);
    }
    if (schema == null) {
      throw node.missing("schema");
    }
    return schema.require(Json.Kind.OBJECT);
  }
}
