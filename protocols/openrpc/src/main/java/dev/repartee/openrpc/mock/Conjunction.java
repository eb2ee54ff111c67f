package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.openrpc.OpenRpc;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Schemas that a value must fit all at the same time. References are followed, and {@code allOf} is
 * dissolved; {@code anyOf}, {@code oneOf} and {@code if} become choices. Each target of a reference
 * counts once: an {@code allOf} that repeats references exponentially costs no more than its
 * length. Not thread-safe.
 */
final class Conjunction {
  /** The most digits of a number that is computed with. */
  private static final int DIGITS = 400;

  /** Keywords that the sampler does not follow: only a validation shows whether a value fits. */
  private static final Set<String> UNKNOWN =
      Set.of("not", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames");

  private final OpenRpc document;
  private final Bounds bounds;

  /** The targets of references around this value: a value of one of them would have no end. */
  private final Collection<String> outside;

  private final List<Place> given;
  private final List<Keywords> parts = new ArrayList<>();
  private final List<Choice> choices = new ArrayList<>();
  private final Set<String> references = new LinkedHashSet<>();

  /** An object of keywords, without references. */
  static final class Keywords {
    private final Map<String, Json> members;
    private final Place place;

    /** The schemas by name, such as the properties: they are read for each member. */
    private final Map<String, Map<String, Json>> named = new HashMap<>();

    Keywords(Place place) {
      this.members = place.schema().members();
      this.place = place;
    }

    Place place() {
      return place;
    }

    @Nullable Json get(String keyword) {
      return members.get(keyword);
    }

    boolean hasAny(Set<String> keywords) {
      return keywords.stream().anyMatch(members::containsKey);
    }

    /** Returns the schema in a keyword; null if there is none. */
    @Nullable Place schema(String keyword) {
      Json schema = members.get(keyword);
      return schema == null ? null : place.at(keyword, schema);
    }

    /** Returns the schemas by name in a keyword such as {@code properties}. */
    Map<String, Json> named(String keyword) {
      return named.computeIfAbsent(keyword, any -> {
        Json schemas = members.get(keyword);
        return schemas == null ? Map.of() : schemas.members();
      });
    }

    /** Returns the place of a schema in a keyword with names. */
    Place at(String keyword, String name, Json schema) {
      return place.at(keyword, schema).at(name, schema);
    }
  }

  /** Alternatives; a value must fit all schemas of one. */
  record Choice(List<List<Place>> alternatives, String pointer) {}

  /**
   * @param outside the targets of references around this value
   * @throws NoValueException if no value fits, or a reference leads to a schema around it
   */
  Conjunction(OpenRpc document, Bounds bounds, Collection<String> outside, List<Place> given) {
    this.document = document;
    this.bounds = bounds;
    this.outside = outside;
    this.given = given;
    add(given);
  }

  private Conjunction(Conjunction of) {
    document = of.document;
    bounds = of.bounds;
    outside = of.outside;
    given = of.given;
    parts.addAll(of.parts);
    choices.addAll(of.choices);
    references.addAll(of.references);
  }

  /**
   * Returns a conjunction with more schemas. The choices of this one keep their indices.
   *
   * @throws NoValueException as the constructor does
   */
  Conjunction with(List<Place> more) {
    bounds.characters(parts.size());
    Conjunction all = new Conjunction(this);
    all.add(more);
    return all;
  }

  private void add(List<Place> more) {
    Queue<Place> waiting = new ArrayDeque<>(more);
    for (Place next = waiting.poll(); next != null; next = waiting.poll()) {
      if (next.schema().kind() == Json.Kind.OBJECT) {
        bounds.schema(next.schema().length() + next.pointer().length());
        add(new Keywords(next), waiting);
      } else if (!next.schema().equals(Json.TRUE)) {
        throw NoValueException.certain(next.pointer(), "no value fits the schema false");
      }
    }
  }

  private void add(Keywords part, Queue<Place> waiting) {
    Json reference = part.get("$ref");
    if (reference != null) { // draft-07 ignores the members beside it
      follow(part.place(), reference.text(), waiting);
      return;
    }
    parts.add(part);
    waiting.addAll(schemas(part, "allOf"));
    for (String either : List.of("oneOf", "anyOf")) {
      List<Place> alternatives = schemas(part, either);
      if (!alternatives.isEmpty()) {
        choices.add(new Choice(
            alternatives.stream().map(List::of).toList(), part.place().pointer() + "/" + either));
      }
    }
    Place condition = part.schema("if");
    if (condition != null) {
      choices.add(conditional(part, condition));
    }
  }

  private void follow(Place from, String reference, Queue<Place> waiting) {
    if (outside.contains(reference)) {
      throw NoValueException.unknown(from.pointer(), "the schema contains itself");
    }
    if (references.add(reference)) {
      Json target = document.find(reference);
      if (target == null) {
        throw NoValueException.unknown(from.pointer(), "the reference has no target");
      }
      waiting.add(new Place(target, reference.substring(1)));
    }
  }

  private static List<Place> schemas(Keywords part, String keyword) {
    List<Place> schemas = new ArrayList<>();
    Place all = part.schema(keyword);
    if (all != null) {
      for (Json schema : all.schema().elements()) {
        schemas.add(all.at(schemas.size(), schema));
      }
    }
    return schemas;
  }

  /** Returns the choice between {@code if} with {@code then}, and {@code else}. */
  private static Choice conditional(Keywords part, Place condition) {
    Place then = part.schema("then");
    Place otherwise = part.schema("else");
    return new Choice(
        List.of(
            then == null ? List.of(condition) : List.of(condition, then),
            otherwise == null ? List.of() : List.of(otherwise)),
        condition.pointer());
  }

  /** Returns the schemas as they were given, without those of alternatives. */
  List<Place> given() {
    return given;
  }

  /** Returns the pointer of the first schema. */
  String pointer() {
    return given.isEmpty() ? "" : given.get(0).pointer();
  }

  List<Keywords> parts() {
    return parts;
  }

  List<Choice> choices() {
    return choices;
  }

  /** Returns the targets of the references that were followed. */
  Set<String> references() {
    return references;
  }

  /** Returns whether a sample must be validated to be sure that it fits. */
  boolean isDoubtful() {
    return !choices.isEmpty() || parts.stream().anyMatch(part -> part.hasAny(UNKNOWN));
  }

  /** Returns whether a schema has this keyword. */
  boolean has(String keyword) {
    return parts.stream().anyMatch(part -> part.get(keyword) != null);
  }

  /**
   * Returns the greatest number in a keyword, if {@code greatest}, otherwise the least; null if
   * there is none.
   *
   * @throws NoValueException if a number has too many digits
   */
  @Nullable BigDecimal number(String keyword, boolean greatest) {
    BigDecimal found = null;
    for (Keywords part : parts) {
      BigDecimal number = number(part, keyword);
      if (number != null) {
        found = found == null ? number : greatest ? found.max(number) : found.min(number);
      }
    }
    return found;
  }

  private static @Nullable BigDecimal number(Keywords part, String keyword) {
    Json value = part.get(keyword);
    if (value == null || value.kind() != Json.Kind.NUMBER) {
      return null; // draft-04 has booleans
    }
    try {
      BigDecimal number = value.as(BigDecimal.class);
      if (Math.abs((long) number.scale()) <= DIGITS && number.precision() <= DIGITS) {
        return number;
      }
    } catch (JsonException e) {
      // It has too many digits as well.
    }
    throw NoValueException.unknown(
        part.place().pointer() + "/" + keyword, "the number has too many digits");
  }

  /**
   * Returns a limit of a size, such as {@code minItems}; a larger one than the greatest integer
   * counts as this.
   *
   * @param greatest whether the greatest of several limits counts
   */
  int size(String keyword, boolean greatest, int otherwise) {
    BigDecimal size = number(keyword, greatest);
    return size == null
        ? otherwise
        : size.max(BigDecimal.ZERO).min(BigDecimal.valueOf(Integer.MAX_VALUE)).intValue();
  }
}
