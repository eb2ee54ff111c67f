package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.openrpc.OpenRpc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a value that fits a schema: a value that the schema states, if there is one, otherwise one
 * of its type. The search is incomplete, and bounded by {@link Bounds}. Not thread-safe.
 *
 * <p>The search does not enter a schema within itself: an optional member is left out, an array is
 * empty, and the next alternative is tried. This loses few values. A value with a part that fits
 * the same schema can usually be replaced by this part.
 */
final class Sampler {
  private static final int DEEPEST = 40;

  /** The number of attempts at an element that is unlike those before it. */
  private static final int UNLIKE = 20;

  /** The number of those attempts with texts that are words. */
  private static final int WORDS = 5;

  private static final List<String> TYPES =
      List.of("string", "object", "array", "integer", "number", "boolean", "null");

  /** The keywords that imply a type. */
  private static final Map<String, String> HINTS = new LinkedHashMap<>();

  static {
    for (String keyword : List.of(
        "properties", "required", "additionalProperties", "patternProperties", "minProperties")) {
      HINTS.put(keyword, "object");
    }
    HINTS.put("items", "array");
    HINTS.put("minItems", "array");
    HINTS.put("minimum", "integer");
    HINTS.put("maximum", "integer");
  }

  private final OpenRpc document;
  private final Fit fit;
  private final Bounds bounds;
  private final Random random;
  private final Attempt attempt;

  /** The targets of the references around the value that is made. */
  private final Set<String> outside = new HashSet<>();

  /** Whether texts are words, which repeat. */
  private boolean hasWords = true;

  /** The ways to look for a value, in the order in which they are tried. */
  enum Attempt {
    /** Stated values and alternatives are trusted. Most schemas need no more. */
    QUICK(2, false),
    /** Stated values and alternatives are validated. */
    CAREFUL(2, true),
    /** Optional members are left out, too. */
    SMALL(0, true);

    /** The depth below which optional members and elements are left out. */
    final int optional;

    final boolean isCareful;

    Attempt(int optional, boolean isCareful) {
      this.optional = optional;
      this.isCareful = isCareful;
    }
  }

  Sampler(OpenRpc document, Fit fit, Bounds bounds, Random random, Attempt attempt) {
    this.document = document;
    this.fit = fit;
    this.bounds = bounds;
    this.random = random;
    this.attempt = attempt;
  }

  /**
   * Returns a value for a schema; it may not fit if the schema has keywords that are unknown here.
   *
   * @throws NoValueException if none is found
   */
  Json value(Place schema) {
    return value(List.of(schema), 0);
  }

  /** @param depth the number of objects and arrays around the value */
  private Json value(List<Place> schemas, int depth) {
    bounds.value();
    if (depth > DEEPEST) {
      throw NoValueException.unknown(schemas.get(0).pointer(), "the values nest too deep");
    }
    return chosen(new Conjunction(document, bounds, outside, schemas), 0, depth);
  }

  /** Tries the alternatives of the choices from an index on. */
  private Json chosen(Conjunction schema, int index, int depth) {
    if (index == schema.choices().size()) {
      return checked(schema, depth);
    }
    Conjunction.Choice choice = schema.choices().get(index);
    NoValueException failure = null;
    for (List<Place> alternative : choice.alternatives()) {
      try {
        return chosen(schema.with(alternative), index + 1, depth);
      } catch (NoValueException e) {
        failure = failure == null || failure.isCertain() ? e : failure;
      }
    }
    throw failure != null && !failure.isCertain()
        ? failure
        : NoValueException.certain(choice.pointer(), "no value fits an alternative");
  }

  private Json checked(Conjunction schema, int depth) {
    List<String> added = schema.references().stream().filter(outside::add).toList();
    try {
      Json value = plain(schema, depth);
      if (attempt.isCareful && schema.isDoubtful() && !accepts(schema, value)) {
        throw NoValueException.unknown(schema.pointer(), "no value was found that fits");
      }
      return value;
    } finally {
      added.forEach(outside::remove);
    }
  }

  private boolean accepts(Conjunction schema, Json value) {
    return schema.given().stream().allMatch(each -> fit.accepts(each, value));
  }

  private Json plain(Conjunction schema, int depth) {
    List<String> types = types(schema);
    Json stated = stated(schema, types);
    if (stated != null) {
      return stated;
    }
    NoValueException failure = null;
    for (String type : types) {
      try {
        return ofType(type, schema, depth);
      } catch (NoValueException e) {
        failure = failure == null || failure.isCertain() ? e : failure;
      }
    }
    throw failure != null
        ? failure
        : NoValueException.certain(schema.pointer(), "the schema allows no type");
  }

  private Json ofType(String type, Conjunction schema, int depth) {
    return switch (type) {
      case "object" -> object(schema, depth);
      case "array" -> array(schema, depth);
      case "string" -> Json.of(new TextSample(schema, bounds, random, fit, hasWords).text());
      case "integer" -> Json.of(new NumberSample(schema, random).number(true, false));
      case "number" -> Json.of(new NumberSample(schema, random).number(false, attempt.isCareful));
      case "boolean" -> Json.of(random.nextBoolean());
      default -> Json.NULL;
    };
  }

  /** Returns the types that all parts allow, the preferred ones first. */
  private static List<String> types(Conjunction schema) {
    Set<String> preferred = new LinkedHashSet<>();
    List<Set<String>> allowed = new ArrayList<>();
    for (Conjunction.Keywords part : schema.parts()) {
      Json type = part.get("type");
      if (type != null) {
        Set<String> names = new LinkedHashSet<>();
        (type.kind() == Json.Kind.ARRAY ? type.elements() : List.of(type))
            .forEach(name -> names.add(name.text()));
        preferred.addAll(names);
        allowed.add(names);
      }
    }
    if (preferred.remove("null")) {
      preferred.add("null"); // any other value shows more of the form
    }
    if (allowed.isEmpty()) {
      HINTS.forEach((keyword, type) -> {
        if (schema.has(keyword)) {
          preferred.add(type);
        }
      });
    }
    preferred.addAll(TYPES);
    return preferred.stream()
        .filter(type -> allowed.stream()
            .allMatch(names ->
                names.contains(type) || type.equals("integer") && names.contains("number")))
        .toList();
  }

  /** Returns a value that the schema states and that fits; null if it states none. */
  private @Nullable Json stated(Conjunction schema, List<String> types) {
    for (Conjunction.Keywords part : schema.parts()) {
      Json constant = part.get("const");
      Json values = part.get("enum");
      if (constant != null) {
        return only(schema, types, List.of(constant), part);
      }
      if (values != null) {
        return only(schema, types, values.elements(), part);
      }
    }
    for (Conjunction.Keywords part : schema.parts()) {
      Json standard = part.get("default");
      if (standard != null && isPossible(schema, types, standard)) {
        return standard;
      }
      Json examples = part.get("examples");
      if (examples != null) {
        for (Json example : examples.elements()) {
          if (isPossible(schema, types, example)) {
            return example;
          }
        }
      }
    }
    return null;
  }

  /** Returns one of the only possible values. */
  private Json only(
      Conjunction schema, List<String> types, List<Json> values, Conjunction.Keywords part) {
    int first = values.isEmpty() ? 0 : random.nextInt(values.size());
    for (int i = 0; i < values.size(); i++) {
      Json value = values.get((first + i) % values.size());
      if (isPossible(schema, types, value)) {
        return value;
      }
    }
    throw NoValueException.certain(
        part.place().pointer(),
        "no value of the schema fits it: "
            + (values.size() == 1 ? "the only one does not" : "none does"));
  }

  private boolean isPossible(Conjunction schema, List<String> types, Json value) {
    bounds.characters(value.length());
    return types.stream().anyMatch(type -> isOfType(value, type))
        && schema.parts().stream().allMatch(part -> isStated(value, part))
        && (!attempt.isCareful || accepts(schema, value));
  }

  private static boolean isOfType(Json value, String type) {
    return switch (value.kind()) {
      case NULL -> type.equals("null");
      case BOOLEAN -> type.equals("boolean");
      case NUMBER -> type.equals("number") || type.equals("integer");
      case STRING -> type.equals("string");
      case ARRAY -> type.equals("array");
      case OBJECT -> type.equals("object");
    };
  }

  private boolean isStated(Json value, Conjunction.Keywords part) {
    Json constant = part.get("const");
    Json values = part.get("enum");
    if (values != null) {
      bounds.schema(values.length());
    }
    return (constant == null || constant.isSameValue(value))
        && (values == null || values.elements().stream().anyMatch(value::isSameValue));
  }

  private Json array(Conjunction schema, int depth) {
    int least = schema.size("minItems", true, 0);
    int most = schema.size("maxItems", false, Integer.MAX_VALUE);
    if (least > most) {
      throw NoValueException.certain(
          schema.pointer(), "minItems " + least + " is greater than maxItems " + most);
    }
    boolean isUnique =
        schema.parts().stream().anyMatch(part -> Json.TRUE.equals(part.get("uniqueItems")));
    int required = schema.has("contains") ? Math.max(1, least) : least;
    List<Json> elements = new ArrayList<>();
    while (elements.size() < required) {
      elements.add(element(schema, elements, isUnique, depth));
    }
    if (required == 0 && most > 0 && depth < attempt.optional) {
      try {
        elements.add(element(schema, elements, isUnique, depth));
      } catch (NoValueException e) {
        // An array without elements fits as well.
      }
    }
    return Json.of(elements);
  }

  private Json element(Conjunction schema, List<Json> before, boolean isUnique, int depth) {
    List<Place> schemas = new ArrayList<>();
    for (Conjunction.Keywords part : schema.parts()) {
      Place items = part.schema("items");
      if (items != null && items.schema().kind() == Json.Kind.ARRAY) {
        bounds.schema(items.schema().length());
        Json own = items.schema().at(before.size());
        items = own == null ? part.schema("additionalItems") : items.at(before.size(), own);
      }
      if (items != null) {
        schemas.add(items);
      }
      Place contained = part.schema("contains");
      if (contained != null && before.isEmpty()) {
        schemas.add(contained);
      }
    }
    boolean hadWords = hasWords;
    try {
      for (int i = 0; i < UNLIKE; i++) {
        hasWords = hadWords && i < WORDS;
        Json element = part(schema, schemas, !schema.has("contains"), depth);
        if (!isUnique) {
          return element;
        }
        bounds.characters(before.size());
        if (before.stream().noneMatch(element::isSameValue)) {
          return element;
        }
      }
    } finally {
      hasWords = hadWords;
    }
    throw NoValueException.unknown(schema.pointer(), "not enough different elements were found");
  }

  /**
   * Returns a value for a part of an object or array.
   *
   * @param schemas the schemas of the part; empty if it may have any value
   * @param needed whether no value fits the whole if none fits this part
   */
  private Json part(Conjunction whole, List<Place> schemas, boolean needed, int depth) {
    try {
      return value(
          schemas.isEmpty() ? List.of(new Place(Json.TRUE, whole.pointer())) : schemas, depth + 1);
    } catch (NoValueException e) {
      throw needed ? e : NoValueException.unknown(e.pointer(), e.reason());
    }
  }

  private Json object(Conjunction schema, int depth) {
    int least = schema.size("minProperties", true, 0);
    int most = schema.size("maxProperties", false, Integer.MAX_VALUE);
    Map<String, Json> members = new LinkedHashMap<>();
    Set<String> required = new LinkedHashSet<>();
    Set<String> described = new LinkedHashSet<>();
    for (Conjunction.Keywords part : schema.parts()) {
      Json names = part.get("required");
      if (names != null) { // a boolean in draft-03
        names.elements().forEach(name -> required.add(name.text()));
      }
      described.addAll(part.named("properties").keySet());
    }
    if (least > most || required.size() > most) {
      throw NoValueException.certain(schema.pointer(), "maxProperties " + most + " is too small");
    }
    for (String name : required) {
      members.put(name, member(schema, name, true, depth));
    }
    for (String name : described) {
      boolean isWanted = depth < attempt.optional || members.size() < least;
      if (isWanted && members.size() < most && !members.containsKey(name)) {
        addOptional(members, schema, name, depth);
      }
    }
    while (members.size() < least) {
      String name = newName(schema, members.size());
      if (members.put(name, member(schema, name, false, depth)) != null) {
        throw NoValueException.unknown(schema.pointer(), "not enough names of members were found");
      }
    }
    JsonObjectBuilder object = new JsonObjectBuilder();
    members.forEach(object::put);
    return object.build();
  }

  private void addOptional(Map<String, Json> members, Conjunction schema, String name, int depth) {
    try {
      members.put(name, member(schema, name, true, depth));
    } catch (NoValueException e) {
      // The member is left out: the schema contains itself here, or no value was found.
    }
  }

  /** @param needed whether the object must have a member of this name */
  private Json member(Conjunction schema, String name, boolean needed, int depth) {
    bounds.characters(name.length());
    List<Place> schemas = new ArrayList<>();
    for (Conjunction.Keywords part : schema.parts()) {
      boolean isDescribed = false;
      Json own = part.named("properties").get(name);
      if (own != null) {
        schemas.add(part.at("properties", name, own));
        isDescribed = true;
      }
      for (Map.Entry<String, Json> pattern : part.named("patternProperties").entrySet()) {
        Place place = part.at("patternProperties", pattern.getKey(), pattern.getValue());
        if (fit.matches(new Place(Json.of(pattern.getKey()), place.pointer()), name)) {
          schemas.add(place);
          isDescribed = true;
        }
      }
      Place others = part.schema("additionalProperties");
      if (!isDescribed && others != null) {
        schemas.add(others);
      }
    }
    return part(schema, schemas, needed, depth);
  }

  /** Returns a name for a member that no schema describes by name. */
  private String newName(Conjunction schema, int number) {
    for (Conjunction.Keywords part : schema.parts()) {
      for (String pattern : part.named("patternProperties").keySet()) {
        Place place = part.place().at("patternProperties", Json.of(pattern));
        return new PatternSample(place, bounds, random).text(1, Bounds.ATTEMPT);
      }
    }
    return "key" + (number + 1);
  }
}
