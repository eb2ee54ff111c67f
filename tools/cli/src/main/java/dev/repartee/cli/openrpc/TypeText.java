package dev.repartee.cli.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The short names of schemas in signatures, such as {@code string | integer[]} or {@code Order}. */
final class TypeText {
  private static final int DEPTH = 4;

  /** The maximum number of alternatives, or of values. */
  private static final int MOST = 4;

  /** The maximum number of characters of a value. */
  private static final int VALUE = 20;

  private static final String ANY = "any";

  private TypeText() {}

  /** Returns the name of the values that fit a schema. */
  static String of(Json schema) {
    return of(schema, DEPTH);
  }

  private static String of(Json schema, int depth) {
    if (schema.equals(Json.FALSE)) {
      return "never";
    }
    if (schema.kind() != Json.Kind.OBJECT || depth == 0) {
      return ANY;
    }
    String reference = schema.string("$ref");
    if (reference != null) {
      return JsonPointer.unescaped(reference.substring(reference.lastIndexOf('/') + 1));
    }
    Json values = schema.get("enum");
    Json constant = schema.get("const");
    if (constant != null) {
      return joined(List.of(constant), TypeText::value);
    } else if (values != null && !values.elements().isEmpty()) {
      return joined(values.elements(), TypeText::value);
    }
    for (String keyword : List.of("oneOf", "anyOf")) {
      Json either = schema.get(keyword);
      if (either != null && !either.elements().isEmpty()) {
        return joined(either.elements(), each -> of(each, depth - 1));
      }
    }
    Json all = schema.get("allOf");
    if (all != null && schema.get("type") == null && !all.elements().isEmpty()) {
      return all.elements().stream()
          .map(each -> of(each, depth - 1))
          .filter(each -> !each.equals(ANY))
          .distinct()
          .limit(MOST)
          .collect(Collectors.joining(" & "));
    }
    Json type = schema.get("type");
    if (type == null) {
      return schema.get("properties") == null ? ANY : "object";
    }
    return type.kind() == Json.Kind.ARRAY
        ? joined(type.elements(), each -> named(each.text(), schema, depth))
        : named(type.text(), schema, depth);
  }

  private static String named(String type, Json schema, int depth) {
    if (type.equals("array")) {
      Json items = schema.get("items");
      String item = items == null ? ANY : of(items, depth - 1);
      return (item.contains(" ") ? "(" + item + ")" : item) + "[]";
    }
    Json others = schema.get("additionalProperties");
    return type.equals("object")
            && others != null
            && others.kind() == Json.Kind.OBJECT
            && schema.get("properties") == null
        ? "{string: " + of(others, depth - 1) + "}"
        : type;
  }

  private static String joined(List<Json> schemas, Function<Json, String> text) {
    Set<String> names = new LinkedHashSet<>();
    schemas.stream().map(text).forEach(names::add);
    if (names.contains(ANY)) {
      return ANY;
    }
    return names.stream().limit(MOST).collect(Collectors.joining(" | "))
        + (names.size() > MOST ? " | ..." : "");
  }

  private static String value(@Nullable Json value) {
    String text = String.valueOf(value);
    return text.length() <= VALUE ? text : text.substring(0, VALUE) + "...";
  }
}
