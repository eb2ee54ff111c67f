package dev.repartee.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares a schema of one document with a schema of another: whether every value that fits the
 * first also fits the second. The comparison is bounded and incomplete. If it cannot find out, it
 * answers that a value may not fit. {@code oneOf} counts as {@code anyOf}, and {@code format} as a
 * remark. Not thread-safe.
 */
final class SchemaFit {
  private static final Set<String> TYPES =
      Set.of("null", "boolean", "integer", "number", "string", "array", "object");

  /** Keywords with a lower limit, with the type of the values that they apply to. */
  private static final Map<String, String> LEAST = Map.of(
      "minimum", "number",
      "exclusiveMinimum", "number",
      "minLength", "string",
      "minItems", "array",
      "minProperties", "object");

  /** Keywords with an upper limit, with the type of the values that they apply to. */
  private static final Map<String, String> MOST = Map.of(
      "maximum", "number",
      "exclusiveMaximum", "number",
      "maxLength", "string",
      "maxItems", "array",
      "maxProperties", "object");

  /** Keywords that fit only an equal keyword, with the type of the values that they apply to. */
  private static final Map<String, String> EQUAL = Map.ofEntries(
      Map.entry("multipleOf", "number"),
      Map.entry("pattern", "string"),
      Map.entry("contains", "array"),
      Map.entry("uniqueItems", "array"),
      Map.entry("prefixItems", "array"),
      Map.entry("additionalItems", "array"),
      Map.entry("patternProperties", "object"),
      Map.entry("propertyNames", "object"),
      Map.entry("dependencies", "object"),
      Map.entry("dependentSchemas", "object"),
      Map.entry("dependentRequired", "object"),
      Map.entry("not", ""),
      Map.entry("if", ""),
      Map.entry("then", ""),
      Map.entry("else", ""));

  /** The maximum number of pairs of schemas to compare. */
  private static final int STEPS = 20_000;

  private static final int DEEPEST = 60;

  /** The maximum number of alternatives of a schema. */
  private static final int BRANCHES = 64;

  /** The maximum number of schemas that apply to one value. */
  private static final int SCHEMAS = 1_000;

  /** The maximum number of pairs to keep from one comparison to the next. */
  private static final int PAIRS = 100_000;

  private final CachedNode.Targets from;
  private final CachedNode.Targets to;

  /**
   * The pairs that fit, or are under comparison: a recursive schema fits if it fits at every other
   * place. In order: if a pair does not fit, those after it are removed, since they may rely on it.
   */
  private final Set<String> pairs = new HashSet<>();

  private final Deque<String> order = new ArrayDeque<>();

  private int steps;
  private int depth;

  SchemaFit(CachedNode.Targets from, CachedNode.Targets to) {
    this.from = from;
    this.to = to;
  }

  /** Returns the reason why a value of the first schema may not fit the second; null if all fit. */
  @Nullable String misfit(CachedNode given, CachedNode wanted) {
    steps = 0;
    if (pairs.size() > PAIRS) {
      pairs.clear();
      order.clear();
    }
    return misfit(List.of(given), wanted, "");
  }

  private @Nullable String misfit(List<CachedNode> given, CachedNode wanted, String place) {
    CachedNode target = to.follow(wanted);
    if (target.value().equals(Json.TRUE) || given.size() == 1 && isEqual(given.get(0), target)) {
      return null;
    }
    String pair = given.stream().map(CachedNode::pointer).collect(Collectors.joining(" ")) + " "
        + target.pointer();
    if (pairs.contains(pair)) {
      return null;
    }
    if (++steps > STEPS || depth > DEEPEST) {
      return at(place, "the schemas are too large to be compared");
    }
    depth++;
    pairs.add(pair);
    order.push(pair);
    String misfit = null;
    List<Facts> branches = Facts.of(given, from, BRANCHES);
    if (branches == null) {
      misfit = at(place, "the schemas are too large to be compared");
    } else {
      for (Facts facts : branches) {
        misfit = misfit == null ? misfit(facts, target, place) : misfit;
      }
    }
    depth--;
    if (misfit != null) {
      String last;
      do {
        last = order.pop();
        pairs.remove(last);
      } while (!last.equals(pair));
    }
    return misfit;
  }

  /** Returns whether a value may contain a reference. */
  static boolean hasReference(Json value) {
    return value.toString().contains("$ref");
  }

  /** Returns whether schemas are equal in all parts. References may have different targets. */
  private static boolean isEqual(CachedNode given, CachedNode wanted) {
    return given.value().equals(wanted.value()) && !hasReference(given.value());
  }

  private static String at(String place, String reason) {
    return place.isEmpty() ? reason : "at " + place + " " + reason;
  }

  private @Nullable String misfit(Facts given, CachedNode schema, String place) {
    CachedNode wanted = to.follow(schema);
    if (given.types().isEmpty() || wanted.value().equals(Json.TRUE)) {
      return null;
    }
    if (wanted.value().equals(Json.FALSE)) {
      return at(place, "no value is expected");
    }
    if (++steps > STEPS) {
      return at(place, "the schemas are too large to be compared");
    }
    Map<String, CachedNode> keywords = wanted.members();
    Set<String> expected = Facts.types(keywords);
    if (!expected.containsAll(given.types())) {
      Set<String> types = new TreeSet<>(given.types());
      types.removeAll(expected);
      return at(place, "the type " + String.join(" or ", types));
    }
    for (Map.Entry<String, CachedNode> keyword : keywords.entrySet()) {
      String misfit = misfit(given, keyword.getKey(), keyword.getValue(), keywords, place);
      if (misfit != null) {
        return misfit;
      }
    }
    return null;
  }

  private @Nullable String misfit(
      Facts given,
      String keyword,
      CachedNode wanted,
      Map<String, CachedNode> keywords,
      String place) {
    return switch (keyword) {
      case "enum", "const" -> enumerated(given, keyword, wanted, place);
      case "allOf" -> all(given, wanted, place);
      case "anyOf", "oneOf" -> any(given, wanted, place);
      case "items" -> given.has("array") ? items(given, wanted, place) : null;
      case "required" -> given.has("object") ? required(given, wanted, place) : null;
      case "properties" -> given.has("object") ? properties(given, wanted, place) : null;
      case "additionalProperties" ->
        given.has("object") ? additional(given, wanted, keywords, place) : null;
      default -> {
        if (LEAST.containsKey(keyword) || MOST.containsKey(keyword)) {
          yield limit(given, keyword, wanted, place);
        }
        String type = EQUAL.get(keyword);
        boolean applies = type != null && (type.isEmpty() || given.has(type));
        yield applies && given.all(keyword).stream().noneMatch(each -> isSame(each, wanted))
            ? at(place, "'" + keyword + "' differs")
            : null;
      }
    };
  }

  private static boolean isSame(CachedNode one, CachedNode other) {
    return one.value().isSameValue(other.value());
  }

  private static @Nullable String enumerated(
      Facts given, String keyword, CachedNode wanted, String place) {
    List<Json> expected =
        keyword.equals("const") ? List.of(wanted.value()) : wanted.value().elements();
    List<Json> possible = given.values();
    if (possible == null) {
      return at(place, "values other than " + shown(expected));
    }
    List<Json> others = possible.stream()
        .filter(value -> expected.stream().noneMatch(value::isSameValue))
        .toList();
    return others.isEmpty() ? null : at(place, "the value " + shown(others));
  }

  private static String shown(List<Json> values) {
    return values.stream().limit(5).map(Json::toString).collect(Collectors.joining(", "))
        + (values.size() > 5 ? ", ..." : "");
  }

  private @Nullable String all(Facts given, CachedNode wanted, String place) {
    for (CachedNode each : wanted.elements()) {
      String misfit = misfit(given, each, place);
      if (misfit != null) {
        return misfit;
      }
    }
    return null;
  }

  private @Nullable String any(Facts given, CachedNode wanted, String place) {
    List<CachedNode> alternatives = wanted.elements();
    for (Facts piece : given.pieces()) {
      String misfit = null;
      for (CachedNode each : alternatives) {
        misfit = misfit(piece, each, place);
        if (misfit == null) {
          break;
        }
      }
      if (misfit != null) {
        return alternatives.size() == 1 ? misfit : at(place, "fits no alternative as a whole");
      }
    }
    return null;
  }

  private @Nullable String items(Facts given, CachedNode wanted, String place) {
    if (wanted.value().kind() == Json.Kind.ARRAY) {
      return given.all("items").stream().anyMatch(each -> isSame(each, wanted))
          ? null
          : at(place, "'items' differs");
    }
    return misfit(or(given.all("items")), wanted, place + "/0");
  }

  /** Returns the schemas, or one that every value fits if there is none. */
  private static List<CachedNode> or(List<CachedNode> schemas) {
    return schemas.isEmpty() ? List.of(new CachedNode(Json.TRUE, "true")) : schemas;
  }

  private static @Nullable String required(Facts given, CachedNode wanted, String place) {
    Set<String> present = given.all("required").stream()
        .flatMap(each -> each.value().elements().stream())
        .map(Json::text)
        .collect(Collectors.toSet());
    for (Json name : wanted.value().elements()) {
      if (!present.contains(name.text())) {
        return at(place, "the member '" + name.text() + "' may be missing");
      }
    }
    return null;
  }

  private @Nullable String properties(Facts given, CachedNode wanted, String place) {
    for (Map.Entry<String, CachedNode> property : wanted.members().entrySet()) {
      String name = property.getKey();
      String misfit = misfit(
          or(given.member(name)), property.getValue(), place + "/" + JsonPointer.escaped(name));
      if (misfit != null) {
        return misfit;
      }
    }
    return null;
  }

  private @Nullable String additional(
      Facts given, CachedNode wanted, Map<String, CachedNode> keywords, String place) {
    CachedNode known = keywords.get("properties");
    Set<String> names = known == null ? Set.of() : known.members().keySet();
    for (String name : given.memberNames()) {
      if (!names.contains(name)) {
        String misfit = misfit(given.member(name), wanted, place + "/" + JsonPointer.escaped(name));
        if (misfit != null) {
          return misfit;
        }
      }
    }
    if (keywords.containsKey("patternProperties")) {
      return given.all("additionalProperties").stream().anyMatch(each -> isSame(each, wanted))
          ? null
          : at(place, "'additionalProperties' differs");
    }
    String misfit = misfit(or(given.all("additionalProperties")), wanted, place + "/*");
    return misfit == null ? null : at(place, "further members");
  }

  private static @Nullable String limit(
      Facts given, String keyword, CachedNode wanted, String place) {
    boolean isLeast = LEAST.containsKey(keyword);
    String type = isLeast ? LEAST.get(keyword) : MOST.get(keyword);
    BigDecimal limit = number(wanted.value());
    if (type == null || limit == null || !given.has(type)) {
      return null;
    }
    List<Json> values = given.values();
    if (values != null && type.equals("number")) {
      return values.stream()
              .map(SchemaFit::number)
              .allMatch(value -> value == null
                  || (isLeast ? value.compareTo(limit) >= 0 : value.compareTo(limit) <= 0))
          ? null
          : at(place, "'" + keyword + "' is " + limit);
    }
    String plain = keyword.replace("exclusiveM", "m");
    String exclusive = "exclusive" + Character.toUpperCase(plain.charAt(0)) + plain.substring(1);
    boolean mayEqual = plain.equals(keyword);
    for (String each : List.of(plain, exclusive)) {
      for (CachedNode known : given.all(each)) {
        BigDecimal number = number(known.value());
        int order = number == null ? 0 : number.compareTo(limit) * (isLeast ? 1 : -1);
        if (number != null && (order > 0 || order == 0 && (mayEqual || each.equals(exclusive)))) {
          return null;
        }
      }
    }
    return at(place, "'" + keyword + "' is " + limit);
  }

  private static @Nullable BigDecimal number(Json value) {
    try {
      return value.kind() == Json.Kind.NUMBER ? value.as(BigDecimal.class) : null;
    } catch (JsonException e) { // too many digits
      return null;
    }
  }

  /**
   * The keywords of schemas that all apply to one value, without references and alternatives.
   *
   * @param schemas the objects with the keywords
   */
  private record Facts(List<CachedNode> schemas, Set<String> types) {
    /**
     * Returns the alternatives of schemas that all apply to one value; null if there are more than
     * {@code most}.
     */
    static @Nullable List<Facts> of(
        List<CachedNode> schemas, CachedNode.Targets references, int most) {
      List<List<CachedNode>> branches = List.of(List.of());
      for (CachedNode schema : schemas) {
        List<List<CachedNode>> own = alternatives(schema, references, most, 0);
        branches = own == null ? null : product(branches, own, most);
        if (branches == null) {
          return null;
        }
      }
      return branches.stream().map(Facts::of).toList();
    }

    private static Facts of(List<CachedNode> schemas) {
      Set<String> types = new HashSet<>(TYPES);
      for (CachedNode schema : schemas) {
        if (schema.value().equals(Json.FALSE)) {
          types.clear();
        }
        types.retainAll(types(schema.members()));
      }
      Facts facts = new Facts(schemas, types);
      List<Json> values = facts.values();
      if (values != null) {
        types.retainAll(values.stream().map(Facts::type).toList());
      }
      return facts;
    }

    private static String type(Json value) {
      return switch (value.kind()) {
        case NULL -> "null";
        case BOOLEAN -> "boolean";
        case STRING -> "string";
        case ARRAY -> "array";
        case OBJECT -> "object";
        case NUMBER -> {
          BigDecimal number = number(value);
          yield number == null || number.stripTrailingZeros().scale() > 0 ? "number" : "integer";
        }
      };
    }

    /** Returns facts that together have the same values: a value each, or else a type each. */
    List<Facts> pieces() {
      List<Json> values = values();
      if (values != null && values.size() <= BRANCHES) {
        return values.stream().map(this::with).toList();
      }
      List<Facts> pieces = new ArrayList<>();
      Set<String> rest = new HashSet<>(types);
      if (rest.contains("number")) {
        rest.remove("integer");
        pieces.add(new Facts(schemas, Set.of("number", "integer")));
        rest.remove("number");
      }
      rest.forEach(type -> pieces.add(new Facts(schemas, Set.of(type))));
      return pieces;
    }

    private Facts with(Json value) {
      List<CachedNode> all = new ArrayList<>(schemas);
      Json constant = new JsonObjectBuilder().put("const", value).build();
      all.add(0, new CachedNode(constant, "const " + value));
      return new Facts(all, Set.of(type(value)));
    }

    private static @Nullable List<List<CachedNode>> alternatives(
        CachedNode schema, CachedNode.Targets references, int most, int depth) {
      CachedNode target = references.follow(schema);
      if (depth > DEEPEST) {
        return null;
      }
      List<List<CachedNode>> branches = List.of(List.of(target));
      for (CachedNode each : target.elements("allOf")) {
        branches = product(branches, alternatives(each, references, most, depth + 1), most);
        if (branches == null) {
          return null;
        }
      }
      for (String keyword : List.of("anyOf", "oneOf")) {
        List<List<CachedNode>> union = new ArrayList<>();
        for (CachedNode each : target.elements(keyword)) {
          List<List<CachedNode>> more = alternatives(each, references, most, depth + 1);
          if (more == null || union.size() + more.size() > most) {
            return null;
          }
          union.addAll(more);
        }
        branches = union.isEmpty() ? branches : product(branches, union, most);
      }
      return branches;
    }

    private static @Nullable List<List<CachedNode>> product(
        @Nullable List<List<CachedNode>> some, @Nullable List<List<CachedNode>> others, int most) {
      if (some == null || others == null || some.size() * others.size() > most) {
        return null;
      }
      List<List<CachedNode>> product = new ArrayList<>();
      for (List<CachedNode> one : some) {
        for (List<CachedNode> other : others) {
          List<CachedNode> both = new ArrayList<>(one);
          both.addAll(other);
          if (both.size() > SCHEMAS) { // references can double it at each level
            return null;
          }
          product.add(both);
        }
      }
      return product;
    }

    /** Returns the types that the keywords allow. An integer is a number, too. */
    static Set<String> types(Map<String, CachedNode> keywords) {
      CachedNode type = keywords.get("type");
      if (type == null) {
        return TYPES;
      }
      Set<String> types = new HashSet<>();
      if (type.value().kind() == Json.Kind.ARRAY) {
        type.value().elements().forEach(each -> types.add(each.text()));
      } else {
        types.add(type.value().text());
      }
      if (types.contains("number")) {
        types.add("integer");
      }
      types.retainAll(TYPES);
      return types;
    }

    boolean has(String type) {
      return types.contains(type) || type.equals("number") && types.contains("integer");
    }

    List<CachedNode> all(String keyword) {
      List<CachedNode> all = new ArrayList<>(schemas.size());
      for (CachedNode schema : schemas) {
        CachedNode value = schema.get(keyword);
        if (value != null) {
          all.add(value);
        }
      }
      return all;
    }

    /** Returns the possible values; null if they are not enumerated. */
    @Nullable List<Json> values() {
      for (CachedNode constant : all("const")) {
        return List.of(constant.value());
      }
      for (CachedNode values : all("enum")) {
        return values.value().elements();
      }
      return types.equals(Set.of("null"))
          ? List.of(Json.NULL)
          : types.equals(Set.of("boolean")) ? List.of(Json.TRUE, Json.FALSE) : null;
    }

    /** Returns the schemas of a member. */
    List<CachedNode> member(String name) {
      List<CachedNode> all = new ArrayList<>();
      for (CachedNode schema : schemas) {
        CachedNode properties = schema.get("properties");
        CachedNode property = properties == null ? null : properties.get(name);
        CachedNode other = property == null && schema.get("patternProperties") == null
            ? schema.get("additionalProperties")
            : property;
        if (other != null) {
          all.add(other);
        }
      }
      return all;
    }

    Set<String> memberNames() {
      return all("properties").stream()
          .flatMap(properties -> properties.members().keySet().stream())
          .collect(Collectors.toCollection(LinkedHashSet::new));
    }
  }
}
