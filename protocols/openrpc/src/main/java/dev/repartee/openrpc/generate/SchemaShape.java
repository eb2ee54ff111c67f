package dev.repartee.openrpc.generate;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The keywords of a schema that determine its type, with those of its {@code allOf} merged. Keywords
 * that only restrict values, such as {@code minimum} or {@code not}, are left out.
 */
final class SchemaShape {
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]+(\\.0+)?");
  private static final Set<String> TEXT = Set.of("pattern", "minLength", "maxLength", "format");

  /** A schema in the document. */
  record Located(Json schema, @Nullable Located parent, String token) {
    /** Creates an outermost schema. */
    Located(Json schema, String pointer) {
      this(schema, null, pointer);
    }

    Located at(String token, Json schema) {
      return new Located(schema, this, token);
    }

    Located at(String keyword, String token, Json schema) {
      return at(keyword, Json.NULL).at(token, schema);
    }

    /** Returns the JSON pointer. It is not kept, since it may be long. */
    String pointer() {
      Deque<String> tokens = new ArrayDeque<>();
      Located part = this;
      for (Located outer = parent; outer != null; outer = part.parent) {
        tokens.push(JsonPointer.escaped(part.token));
        tokens.push("/");
        part = outer;
      }
      return part.token + String.join("", tokens);
    }
  }

  /** The kinds that {@code type} allows; null if all are allowed. */
  @Nullable Set<String> kinds;

  final Map<String, Located> properties = new LinkedHashMap<>();
  final Set<String> required = new LinkedHashSet<>();

  /** The schemas of members that are not in {@link #properties}. */
  final List<Located> additional = new ArrayList<>();

  /** Whether members that are not in {@link #properties} are forbidden. */
  boolean closed;

  /** The schemas of elements: several for a tuple, none if the schema does not describe them. */
  List<Located> items = List.of();

  /** The values of {@code enum} and {@code const}; empty if all are allowed. */
  List<Json> values = List.of();

  /** The elements of {@code oneOf} and {@code anyOf}, if they are more than constraints. */
  final List<List<Located>> alternatives = new ArrayList<>();

  private boolean text;

  /** Adds the keywords of a schema, except {@code allOf}. */
  void add(Located at) {
    Map<String, Json> members = at.schema().members();
    Json type = members.get("type");
    if (type != null) {
      restrictKinds(type);
    }
    if (Json.TRUE.equals(members.get("nullable")) && kinds != null) {
      kinds.add("null"); // as in OpenAPI 3.0
    }
    object(members, "properties")
        .forEach((name, schema) -> properties.put(name, at.at("properties", name, schema)));
    for (Json name : array(members, "required")) {
      if (name.kind() == Json.Kind.STRING) {
        required.add(name.text());
      }
    }
    object(members, "patternProperties")
        .forEach((name, schema) -> additional.add(at.at("patternProperties", name, schema)));
    Json others = members.get("additionalProperties");
    if (Json.FALSE.equals(others)) {
      closed = true;
    } else if (others != null) {
      additional.add(at.at("additionalProperties", others));
    }
    items(members, at);
    if (members.containsKey("const")) {
      restrictValues(List.of(members.get("const")));
    } else if (members.containsKey("enum")) {
      restrictValues(array(members, "enum"));
    }
    alternatives(members, "oneOf", at);
    alternatives(members, "anyOf", at);
    text |= TEXT.stream().anyMatch(members::containsKey);
  }

  private void items(Map<String, Json> members, Located at) {
    for (String keyword : List.of("prefixItems", "items")) {
      Json given = members.get(keyword);
      if (given != null && given.kind() == Json.Kind.ARRAY) {
        items = elements(given, keyword, at);
      } else if (given != null && items.isEmpty()) {
        items = List.of(at.at(keyword, given));
      }
    }
  }

  private void alternatives(Map<String, Json> members, String keyword, Located at) {
    Json given = members.get(keyword);
    if (given != null && given.kind() == Json.Kind.ARRAY) {
      List<Located> group = elements(given, keyword, at);
      if (group.stream().noneMatch(each -> isConstraint(each.schema()))) {
        alternatives.add(group);
      }
    }
  }

  /** Returns whether a schema only demands members, as in {@code {"required":["a"]}}. */
  private static boolean isConstraint(Json schema) {
    return schema.kind() == Json.Kind.OBJECT
        && schema.get("type") == null
        && schema.get("$ref") == null
        && schema.get("properties") == null
        && (schema.get("required") != null || schema.get("not") != null);
  }

  private static List<Located> elements(Json array, String keyword, Located at) {
    List<Located> elements = new ArrayList<>();
    for (Json element : array.elements()) {
      elements.add(at.at(keyword, String.valueOf(elements.size()), element));
    }
    return elements;
  }

  /** Adds the keywords of a schema in {@code allOf}; later ones replace equal properties. */
  void add(SchemaShape part) {
    if (part.kinds != null) {
      restrictKinds(part.kinds);
    }
    properties.putAll(part.properties);
    required.addAll(part.required);
    additional.addAll(part.additional);
    closed |= part.closed;
    items = part.items.isEmpty() ? items : part.items;
    if (!part.values.isEmpty()) {
      restrictValues(part.values);
    }
    alternatives.addAll(part.alternatives);
    text |= part.text;
  }

  private void restrictKinds(Json type) {
    Set<String> given = new LinkedHashSet<>();
    for (Json kind : type.kind() == Json.Kind.ARRAY ? type.elements() : List.of(type)) {
      if (kind.kind() == Json.Kind.STRING) {
        given.add(kind.text());
      }
    }
    if (!given.isEmpty()) {
      restrictKinds(given);
    }
  }

  private void restrictKinds(Set<String> given) {
    if (kinds == null) {
      kinds = new LinkedHashSet<>(given);
      return;
    }
    Set<String> both = new LinkedHashSet<>();
    for (String kind : kinds) {
      if (given.contains(kind) || kind.equals("integer") && given.contains("number")) {
        both.add(kind);
      } else if (kind.equals("number") && given.contains("integer")) {
        both.add("integer");
      }
    }
    kinds = both; // not empty in a document without faults
  }

  private void restrictValues(List<Json> given) {
    values = values.isEmpty()
        ? given
        : given.stream()
            .filter(one -> values.stream().anyMatch(one::isSameValue))
            .toList();
  }

  /** Returns the kinds of values, inferred from other keywords if {@code type} is missing. */
  Set<String> kinds() {
    if (kinds != null) {
      return kinds;
    } else if (!properties.isEmpty() || !additional.isEmpty() || closed || !required.isEmpty()) {
      return Set.of("object");
    } else if (!items.isEmpty()) {
      return Set.of("array");
    }
    return text ? Set.of("string") : Set.of();
  }

  /** Returns whether null is the only value. */
  boolean isNull() {
    return values.isEmpty() ? Set.of("null").equals(kinds) : values.equals(List.of(Json.NULL));
  }

  /** Returns a shape with one of the kinds. */
  SchemaShape only(String kind) {
    SchemaShape only = new SchemaShape();
    only.add(this);
    only.kinds = new LinkedHashSet<>(Set.of(kind));
    return only;
  }

  static boolean isInteger(Json number) {
    return INTEGER.matcher(number.toString()).matches();
  }

  private static Map<String, Json> object(Map<String, Json> members, String name) {
    Json value = members.get(name);
    return value == null ? Map.of() : value.members();
  }

  private static List<Json> array(Map<String, Json> members, String name) {
    Json value = members.get(name);
    return value == null || value.kind() != Json.Kind.ARRAY ? List.of() : value.elements();
  }
}
