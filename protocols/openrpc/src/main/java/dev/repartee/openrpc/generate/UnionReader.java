package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import dev.repartee.openrpc.generate.SchemaReader.Subject;
import dev.repartee.openrpc.generate.SchemaShape.Located;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code oneOf}, {@code anyOf} and several values of {@code type}. Only alternatives that can
 * be distinguished remain: by a member with a constant in each of them, or by their form. Two kinds
 * of strings are one, two lists become a list of alternatives, and null makes the type nullable.
 */
final class UnionReader {
  private static final Set<String> SCALARS = Set.of("string", "integer", "number", "boolean");

  /**
   * An alternative before its type is read.
   *
   * @param shape the keywords
   * @param changed whether the shape differs from that of the schema
   * @param label the name that the document has for the alternative
   */
  private record Option(
      Located at,
      SchemaShape shape,
      boolean changed,
      @Nullable String label,
      Doc doc) {
    /** Returns the kind of the values; empty if there are several, or any. */
    String kind() {
      Set<String> kinds = shape.kinds();
      return shape.values.isEmpty() && shape.alternatives.isEmpty() && kinds.size() == 1
          ? kinds.iterator().next()
          : "";
    }

    boolean isObject() {
      return kind().equals("object") && !shape.properties.isEmpty();
    }

    boolean isMap() {
      return kind().equals("object") && shape.properties.isEmpty();
    }

    boolean isReference() {
      return at.schema().get("$ref") != null;
    }

    boolean isInlineString() {
      return !shape.values.isEmpty()
          && shape.values.stream().allMatch(value -> value.kind() == Json.Kind.STRING)
          && !isReference();
    }

    /** Returns the order in which forms are tried: a string from a list before any string. */
    int order() {
      return !shape.values.isEmpty() ? 0 : isObject() ? 1 : kind().isEmpty() ? 3 : 2;
    }
  }

  private final SchemaReader reader;

  UnionReader(SchemaReader reader) {
    this.reader = reader;
  }

  /** Returns the type of a schema with {@code oneOf} or {@code anyOf}; only the first counts. */
  Type alternatives(SchemaShape shape, Subject subject) {
    List<Option> options = new ArrayList<>();
    boolean nullable = shape.kinds != null && shape.kinds.contains("null");
    for (Located at : shape.alternatives.get(0)) {
      SchemaShape alternative = reader.shape(at);
      if (alternative.isNull()) {
        nullable = true;
      } else if (!Json.FALSE.equals(at.schema())) {
        boolean common = !shape.properties.isEmpty() && alternative.alternatives.isEmpty();
        options.add(new Option(
            at,
            common ? common(shape, alternative) : alternative,
            common,
            label(at.schema()),
            Doc.ofSchema(at.schema(), "")));
      }
    }
    return union(options, nullable, subject);
  }

  private static @Nullable String label(Json schema) {
    String title = SchemaReader.usableTitle(schema);
    String reference = schema.string("$ref");
    return title != null || reference == null
        ? title
        : reference.substring(reference.lastIndexOf('/') + 1);
  }

  /** Returns an alternative with the properties that all alternatives have. */
  private static SchemaShape common(SchemaShape shape, SchemaShape alternative) {
    SchemaShape common = new SchemaShape();
    common.add(shape);
    common.alternatives.clear();
    common.add(alternative);
    return common;
  }

  /** Returns the type of a schema with several kinds. */
  Type kinds(SchemaShape shape, Subject subject) {
    List<Option> options = new ArrayList<>();
    for (String kind : shape.kinds()) {
      if (!kind.equals("null")) {
        SchemaShape only = shape.only(kind);
        options.add(new Option(subject.at(), only, true, null, Doc.NONE));
      }
    }
    return union(options, shape.kinds().contains("null"), subject);
  }

  private Type union(List<Option> given, boolean nullable, Subject subject) {
    if (given.isEmpty()) {
      return Type.Scalar.NULL;
    }
    Subject part = nullable ? subject.part() : subject;
    List<Option> options = distinguished(given);
    Type type = options.size() == 1
        ? single(options.get(0), part)
        : options.stream().allMatch(Option::isInlineString)
            ? strings(options, part)
            : several(options, part);
    return nullable ? Type.OrNull.of(type) : type;
  }

  /** Returns the type of the only alternative, which gets the name of the whole. */
  private Type single(Option option, Subject subject) {
    if (option.isReference() && !option.changed()) {
      return reader.read(option.at(), subject.declared());
    }
    String title = SchemaReader.usableTitle(option.at().schema());
    return reader.typed(
        option.shape(),
        new Subject(
            option.at(),
            subject.name(),
            title == null || subject.target() != null ? subject.title() : title,
            subject.target()));
  }

  private Type strings(List<Option> options, Subject subject) {
    SchemaShape all = new SchemaShape();
    all.values = options.stream().flatMap(each -> each.shape().values.stream()).toList();
    return reader.typed(all, subject);
  }

  private Type several(List<Option> options, Subject subject) {
    String tag = tag(options);
    List<Body.Alternative> alternatives = new ArrayList<>();
    for (Option option : options) {
      String value = tag == null ? null : value(option, tag);
      String label =
          option.label() != null ? option.label() : value != null ? value : kindLabel(option);
      String name = SchemaReader.within(SchemaReader.owner(subject), label);
      Type type = option.changed()
          ? reader.typed(option.shape(), new Subject(option.at(), name, null, null))
          : reader.read(option.at(), name);
      if (type == Type.ANY) {
        return Type.ANY;
      } else if (alternatives.stream().noneMatch(other -> other.type().equals(type))) {
        alternatives.add(new Body.Alternative(type, label, value, option.doc()));
      }
    }
    return alternatives.size() == 1
        ? alternatives.get(0).type()
        : reader.declare(new Body.Union(tag, List.copyOf(alternatives)), subject);
  }

  private static String kindLabel(Option option) {
    return switch (option.kind()) {
      case "string" -> "text";
      case "integer", "number" -> "number";
      case "boolean" -> "flag";
      case "array" -> "items";
      case "object" -> "members";
      default -> "other";
    };
  }

  /** Returns the options that differ in form, in the order in which forms are tried. */
  private static List<Option> distinguished(List<Option> given) {
    List<Option> options = new ArrayList<>();
    List<Option> lists = new ArrayList<>();
    List<Option> maps = new ArrayList<>();
    Map<String, List<Option>> scalars = new LinkedHashMap<>();
    boolean numbers = given.stream().anyMatch(option -> option.kind().equals("number"));
    for (Option option : given) {
      String kind = numbers && option.kind().equals("integer") ? "number" : option.kind();
      if (kind.equals("array")) {
        lists.add(option);
      } else if (option.isMap()) {
        maps.add(option);
      } else if (SCALARS.contains(kind)) {
        scalars.computeIfAbsent(kind, key -> new ArrayList<>()).add(option);
      } else {
        options.add(option);
      }
    }
    scalars.forEach(
        (kind, equal) -> options.add(equal.size() == 1 ? equal.get(0) : scalar(kind, equal)));
    options.addAll(lists.size() < 2 ? lists : List.of(list(lists)));
    options.addAll(maps.size() < 2 ? maps : List.of(map(maps)));
    options.sort(Comparator.comparing(Option::order));
    return options;
  }

  private static Option scalar(String kind, List<Option> scalars) {
    SchemaShape scalar = new SchemaShape();
    scalar.kinds = Set.of(kind);
    String[] texts = scalars.stream().map(each -> each.doc().text()).toArray(String[]::new);
    return new Option(scalars.get(0).at(), scalar, true, null, Doc.of(false, texts));
  }

  private static Option list(List<Option> lists) {
    SchemaShape list = new SchemaShape();
    list.kinds = Set.of("array");
    if (lists.stream().noneMatch(each -> each.shape().items.isEmpty())) {
      List<Json> items = lists.stream()
          .flatMap(each -> each.shape().items.stream())
          .map(Located::schema)
          .toList();
      Json either = Json.of(Map.of("anyOf", items));
      list.items = List.of(new Located(either, lists.get(0).at().pointer()));
    }
    return new Option(lists.get(0).at(), list, true, null, Doc.NONE);
  }

  private static Option map(List<Option> maps) {
    SchemaShape map = new SchemaShape();
    map.kinds = Set.of("object");
    return new Option(maps.get(0).at(), map, true, null, Doc.NONE);
  }

  /** Returns the member that names the alternatives; null if there is none. */
  private @Nullable String tag(List<Option> options) {
    if (!options.stream().allMatch(Option::isObject)) {
      return null;
    }
    for (String member : options.get(0).shape().properties.keySet()) {
      Set<String> values = new HashSet<>();
      for (Option option : options) {
        String value = value(option, member);
        if (value != null) {
          values.add(value);
        }
      }
      if (values.size() == options.size()) {
        return member;
      }
    }
    return null;
  }

  /** Returns the only value of a required member, if it is a string. */
  private @Nullable String value(Option option, String member) {
    Located property = option.shape().properties.get(member);
    if (property == null || !option.shape().required.contains(member)) {
      return null;
    }
    List<Json> values = reader.shape(property).values;
    return values.size() != 1 ? null : values.get(0).string();
  }
}
