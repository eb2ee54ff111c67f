package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The common form of values, from which a schema follows that all of them fit. Not thread-safe. */
final class Shape {
  /** The number of members at which an object counts as a map with any names. */
  static final int MOST_NAMES = 100;

  /** The maximum depth of a value; anything fits below it. */
  private static final int DEPTH = 50;

  private final TreeSet<String> types = new TreeSet<>();
  private final Map<String, Shape> members = new LinkedHashMap<>();
  private int count;
  private int objects;
  private @Nullable Shape elements;

  /** The form of all members, once there are too many names. */
  private @Nullable Shape anyMember;

  /** Returns the number of values. */
  int count() {
    return count;
  }

  void add(Json value) {
    add(value, DEPTH);
  }

  private void add(Json value, int depth) {
    count++;
    if (depth == 0) {
      return;
    }
    switch (value.kind()) {
      case NULL -> types.add("null");
      case BOOLEAN -> types.add("boolean");
      case STRING -> types.add("string");
      case NUMBER -> types.add(isInteger(value) ? "integer" : "number");
      case ARRAY -> {
        types.add("array");
        Shape shape = elements == null ? new Shape() : elements;
        elements = shape;
        value.elements().forEach(each -> shape.add(each, depth - 1));
      }
      case OBJECT -> {
        types.add("object");
        objects++;
        value.members().forEach((name, member) -> member(name).add(member, depth - 1));
      }
    }
  }

  private static boolean isInteger(Json number) {
    return number.toString().matches("-?[0-9]+");
  }

  private Shape member(String name) {
    if (anyMember == null && members.size() == MOST_NAMES && !members.containsKey(name)) {
      Shape all = new Shape();
      members.values().forEach(all::merge);
      members.clear();
      anyMember = all;
    }
    return anyMember != null ? anyMember : members.computeIfAbsent(name, any -> new Shape());
  }

  private void merge(Shape other) {
    types.addAll(other.types);
    count += other.count;
    objects += other.objects;
    other.members.forEach((name, shape) -> member(name).merge(shape));
    Shape more = other.anyMember;
    if (more != null) {
      Shape all = anyMember == null ? new Shape() : anyMember;
      members.values().forEach(all::merge);
      members.clear();
      anyMember = all;
      all.merge(more);
    }
    if (other.elements != null) {
      Shape all = elements == null ? new Shape() : elements;
      elements = all;
      all.merge(other.elements);
    }
  }

  /** Returns the schema; {@code {}} if there is no value. */
  Json schema() {
    List<String> names = new ArrayList<>(types);
    if (names.contains("number")) {
      names.remove("integer");
    }
    JsonObjectBuilder schema = new JsonObjectBuilder();
    if (!names.isEmpty()) {
      schema.put("type", names.size() == 1 ? names.get(0) : names);
    }
    if (elements != null && elements.count > 0) {
      schema.put("items", elements.schema());
    }
    if (anyMember != null) {
      schema.put("additionalProperties", anyMember.schema());
    } else if (!members.isEmpty()) {
      JsonObjectBuilder properties = new JsonObjectBuilder();
      List<String> required = new ArrayList<>();
      members.forEach((name, shape) -> {
        properties.put(name, shape.schema());
        if (shape.count == objects) {
          required.add(name);
        }
      });
      schema.put("properties", properties.build()).putUnlessEmpty("required", required);
    }
    return schema.build();
  }
}
