package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds schemas that no value fits. The search is bounded and incomplete: it knows the types and
 * simple limits of values, and the required members of objects. It never finds a schema that a
 * value fits. Not thread-safe.
 */
final class Values {
  /** The types of values in JSON Schema; {@code NUMBER} without the integers. */
  private enum Type {
    NULL,
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    ARRAY,
    OBJECT
  }

  /** The maximum number of schemas to look at. After it, a value may fit every schema. */
  private static final int MOST = 1_000_000;

  private static final int DEEPEST = 200;

  private final References references;

  /**
   * The types of the values that are known to fit the targets of references. A schema may refer to
   * itself: the sets grow from empty ones, until another pass finds no more values.
   */
  private final Map<String, EnumSet<Type>> known = new HashMap<>();

  /** The targets of references in this pass. */
  private final Set<String> seen = new HashSet<>();

  /** The targets of which the types are final. */
  private final Set<String> settled = new HashSet<>();

  private boolean hasGrown;
  private int looks;
  private int depth;

  Values(References references) {
    this.references = references;
  }

  /**
   * Requires a schema that a value may fit.
   *
   * @throws OpenRpcException if no value fits
   */
  void require(Node schema) {
    EnumSet<Type> types;
    do {
      hasGrown = false;
      seen.clear();
      types = types(schema);
    } while (hasGrown);
    settled.addAll(seen);
    if (types.isEmpty()) {
      throw schema.fault("no value fits the schema");
    }
  }

  private EnumSet<Type> types(Node schema) {
    EnumSet<Type> types = EnumSet.allOf(Type.class);
    if (schema.value().kind() == Json.Kind.BOOLEAN) {
      return schema.value().equals(Json.TRUE) ? types : EnumSet.noneOf(Type.class);
    }
    if (++looks > MOST || depth > DEEPEST) {
      return types;
    }
    depth++;
    String reference = schema.value().string("$ref");
    if (reference != null) {
      types = types(references.target(schema, reference), schema);
    } else {
      restrict(schema, types);
    }
    depth--;
    return types;
  }

  private EnumSet<Type> types(Node target, Node from) {
    String pointer = target.pointer();
    if (!settled.contains(pointer) && seen.add(pointer)) {
      EnumSet<Type> types = types(target);
      if (!types.equals(known.put(pointer, types))) {
        hasGrown = true;
      }
    }
    EnumSet<Type> types = known.get(pointer);
    return types == null ? EnumSet.noneOf(Type.class) : EnumSet.copyOf(types);
  }

  private void restrict(Node schema, EnumSet<Type> types) {
    Map<String, Node> keywords = schema.members();
    Node type = keywords.get("type");
    if (type != null) {
      types.retainAll(named(type));
    }
    Node values = keywords.get("enum");
    if (values != null && values.value().kind() == Json.Kind.ARRAY) {
      types.retainAll(of(values.value().elements()));
    }
    Node constant = keywords.get("const");
    if (constant != null) {
      types.retainAll(of(List.of(constant.value())));
    }
    Node not = keywords.get("not");
    if (not != null
        && (not.value().equals(Json.TRUE)
            || not.value().members().isEmpty() && not.value().kind() == Json.Kind.OBJECT)) {
      types.clear();
    }
    combine(keywords.get("allOf"), types, (all, more) -> {
      all.retainAll(more);
      return all;
    });
    for (String either : List.of("anyOf", "oneOf")) {
      combine(keywords.get(either), types, (all, more) -> {
        all.addAll(more);
        return all;
      });
    }
    if (isEmpty(keywords, "minLength", "maxLength")) {
      types.remove(Type.STRING);
    }
    if (isEmpty(keywords, "minimum", "maximum")) {
      types.removeAll(EnumSet.of(Type.INTEGER, Type.NUMBER));
    }
    if (types.contains(Type.ARRAY) && hasNoArray(keywords)) {
      types.remove(Type.ARRAY);
    }
    if (types.contains(Type.OBJECT) && hasNoObject(keywords)) {
      types.remove(Type.OBJECT);
    }
  }

  private void combine(
      @Nullable Node schemas, EnumSet<Type> types, BinaryOperator<EnumSet<Type>> operator) {
    if (schemas != null && schemas.value().kind() == Json.Kind.ARRAY) {
      schemas.elements().stream().map(this::types).reduce(operator).ifPresent(types::retainAll);
    }
  }

  private boolean hasNoArray(Map<String, Node> keywords) {
    Node items = keywords.get("items");
    BigDecimal least = number(keywords.get("minItems"));
    return isEmpty(keywords, "minItems", "maxItems")
        || items != null
            && items.value().kind() != Json.Kind.ARRAY
            && least != null
            && least.signum() > 0
            && !keywords.containsKey("prefixItems")
            && types(items).isEmpty();
  }

  private boolean hasNoObject(Map<String, Node> keywords) {
    Node required = keywords.get("required");
    if (required == null || required.value().kind() != Json.Kind.ARRAY) {
      return false;
    }
    Node given = keywords.get("properties");
    Map<String, Node> properties = given == null ? Map.of() : given.members();
    return required.value().elements().stream().anyMatch(name -> {
      Node property = properties.get(name.text());
      return property != null && types(property).isEmpty();
    });
  }

  /** Returns whether the first limit is greater than the second. */
  private static boolean isEmpty(Map<String, Node> keywords, String least, String most) {
    BigDecimal from = number(keywords.get(least));
    BigDecimal to = number(keywords.get(most));
    return from != null && to != null && from.compareTo(to) > 0;
  }

  private static @Nullable BigDecimal number(@Nullable Node node) {
    try {
      return node == null || node.value().kind() != Json.Kind.NUMBER
          ? null
          : node.value().as(BigDecimal.class);
    } catch (JsonException e) { // too many digits
      return null;
    }
  }

  private static EnumSet<Type> named(Node type) {
    EnumSet<Type> types = EnumSet.noneOf(Type.class);
    List<Json> names =
        type.value().kind() == Json.Kind.ARRAY ? type.value().elements() : List.of(type.value());
    for (Json name : names) {
      switch (name.text()) {
        case "null" -> types.add(Type.NULL);
        case "boolean" -> types.add(Type.BOOLEAN);
        case "integer" -> types.add(Type.INTEGER);
        case "number" -> types.addAll(EnumSet.of(Type.INTEGER, Type.NUMBER));
        case "string" -> types.add(Type.STRING);
        case "array" -> types.add(Type.ARRAY);
        case "object" -> types.add(Type.OBJECT);
        default -> throw type.fault("expected a type of JSON Schema, found " + type.shown());
      }
    }
    return types;
  }

  private static EnumSet<Type> of(List<Json> values) {
    EnumSet<Type> types = EnumSet.noneOf(Type.class);
    for (Json value : values) {
      switch (value.kind()) {
        case NULL -> types.add(Type.NULL);
        case BOOLEAN -> types.add(Type.BOOLEAN);
        case STRING -> types.add(Type.STRING);
        case ARRAY -> types.add(Type.ARRAY);
        case OBJECT -> types.add(Type.OBJECT);
        default -> types.addAll(EnumSet.of(Type.INTEGER, Type.NUMBER));
      }
    }
    return types;
  }
}
