package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Alias;
import dev.repartee.generator.MetaModel.Enumeration;
import dev.repartee.generator.MetaModel.Property;
import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.MetaModel.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the Java form of each type of the meta model, and collects the unions. */
final class Types {
  /** Aliases of any JSON value, which have a separate type. */
  private static final Set<String> ANY = Set.of("LSPAny", "LSPObject", "LSPArray");

  /** The names of members and messages that are keywords of Java. */
  private static final Set<String> KEYWORDS =
      Set.of("boolean", "continue", "default", "goto", "protected");

  /**
   * A member of a structure.
   *
   * @param literal the only value of the member, or empty
   * @param nullable whether JSON null is a value
   * @param absent the expression for an optional member that is absent
   */
  record Member(
      String name,
      Shape shape,
      String literal,
      boolean optional,
      boolean nullable,
      String absent,
      Optional<String> documentation) {
    /** Returns the name of the component. */
    String java() {
      return Types.java(name);
    }

    /** Returns whether the member is required and never null. */
    boolean isPresent() {
      return !optional && !nullable;
    }

    /** Returns whether another value than null stands for an absent member. */
    boolean hasDefault() {
      return !absent.equals("null");
    }

    /** Returns whether the member may be missing, null, or have a value. */
    boolean isTristate() {
      return optional && nullable && shape != Shape.Scalar.JSON;
    }
  }

  /** A variant of a union; {@code name} is the record that wraps it, empty if it needs none. */
  record Variant(Shape shape, String name) {}

  /** A sealed interface. */
  record Union(String name, List<Variant> variants, Optional<String> documentation) {}

  private final Protocol protocol;
  private final Map<String, Structure> structures;
  private final Map<String, Enumeration> enumerations;
  private final Map<String, Alias> aliases;
  final Map<String, Union> unions = new TreeMap<>();
  private final Map<String, String> unionNames = new LinkedHashMap<>();
  final Map<String, Shape.Container> containers = new TreeMap<>();

  /** The types that are results of requests, and never null. */
  private final Set<String> results;

  /** The structures that the results of requests and the params of notifications consist of. */
  private final Set<String> reported = new HashSet<>();

  Types(MetaModel model, Protocol protocol) {
    this.protocol = protocol;
    this.results = model.requests().stream()
        .flatMap(each -> each.result().stream())
        .filter(each -> each.kind().equals("reference"))
        .map(each -> each.name().orElseThrow())
        .collect(Collectors.toCollection(HashSet::new));
    model.requests().stream()
        .flatMap(each -> each.result().flatMap(Type::items).stream().flatMap(List::stream))
        .forEach(each -> results.remove(each.name().orElse("")));
    this.structures = model.structuresByName();
    this.enumerations =
        model.enumerations().stream().collect(Collectors.toMap(Enumeration::name, each -> each));
    this.aliases =
        model.typeAliases().stream().collect(Collectors.toMap(Alias::name, each -> each));
    model.requests().forEach(each -> each.result().ifPresent(this::report));
    model.notifications().forEach(each -> each.params().ifPresent(this::report));
  }

  /** Adds the structures of a type to the reported ones. */
  private void report(Type type) {
    type.items().stream().flatMap(List::stream).forEach(this::report);
    type.element().ifPresent(this::report);
    if (type.kind().equals("map")) {
      report(type.mapped());
    }
    Structure structure = structures.get(type.name().orElse(""));
    if (structure != null && reported.add(structure.name())) {
      structure.parents().orElse(List.of()).forEach(this::report);
      structure.properties().forEach(each -> report(each.type()));
    }
  }

  /**
   * Returns the value of a required member that a structure may lack when it is read; null if it
   * must not lack it.
   */
  @Nullable String neutral(Structure structure, Member member) {
    boolean may = member.isPresent()
        && member.literal().isEmpty()
        && reported.contains(structure.name())
        && protocol.dispensable().test(member.name());
    return may ? member.shape().neutral() : null;
  }

  /** Returns whether JSON null is read as a structure without members: a result that is missing. */
  boolean mayBeNull(Structure structure) {
    return results.contains(structure.name()) && protocol.dispensable().test(structure.name());
  }

  /** Returns all members of a structure: those of its parents, its own, and those of its mixins. */
  List<Member> members(Structure structure) {
    Map<String, Property> all = new LinkedHashMap<>();
    Map<String, String> owners = new LinkedHashMap<>();
    collect(structure, all, owners);
    return all.values().stream()
        .map(each -> member(owners.get(each.name()), each))
        .toList();
  }

  private void collect(Structure structure, Map<String, Property> all, Map<String, String> owners) {
    for (Type parent : structure.parents().orElse(List.of())) {
      collect(structures.get(parent.name().orElseThrow()), all, owners);
    }
    for (Property property : structure.properties()) {
      all.put(property.name(), property);
      owners.put(property.name(), structure.name());
    }
    for (Type mixin : structure.mixins().orElse(List.of())) {
      collect(structures.get(mixin.name().orElseThrow()), all, owners);
    }
  }

  private Member member(String owner, Property property) {
    boolean literal = property.type().kind().equals("stringLiteral");
    Shape shape = literal
        ? Shape.Scalar.STRING
        : shape(property.type(), unionName(owner, property.name()), property.documentation());
    boolean nullable = isNullable(property.type());
    return new Member(
        property.name(),
        shape,
        literal ? property.type().value().orElseThrow().as(String.class) : "",
        property.optional().orElse(false),
        nullable && !protocol.protobuf(),
        protocol.protobuf() && !nullable ? absent(shape) : "null",
        property.documentation());
  }

  /** Returns the expression for an absent member without presence in Protocol Buffers. */
  private String absent(Shape shape) {
    Structure structure = structures.get(shape.boxed());
    if (structure != null
        && structure.properties().stream().allMatch(each -> each.optional().orElse(false))) {
      return "new " + structure.name() + "()";
    }
    return shape instanceof Shape.Container || shape == Shape.Scalar.BOOLEAN
        ? String.valueOf(shape.neutral())
        : "null";
  }

  private static String unionName(String owner, String property) {
    String capital = Character.toUpperCase(property.charAt(0)) + property.substring(1);
    return owner.equals("ServerCapabilities") ? capital : owner.replace("_", "") + capital;
  }

  boolean isNullable(Type type) {
    return switch (type.kind()) {
      case "or" -> type.items().orElseThrow().stream().anyMatch(Type::isNull);
      case "reference" -> ANY.contains(type.name().orElseThrow());
      default -> type.isNull();
    };
  }

  /**
   * Returns the Java form of a type, without its null.
   *
   * @param name the name of the type if it is a union without a name
   */
  Shape shape(Type type, String name, Optional<String> documentation) {
    return switch (type.kind()) {
      case "base" -> base(type.name().orElseThrow());
      case "reference" -> reference(type.name().orElseThrow());
      case "array" -> container(shape(type.element().orElseThrow(), name, documentation), false);
      case "map" -> container(mapped(type.mapped(), name, documentation), true);
      case "or" -> union(type, name, documentation);
      case "literal" -> Shape.Scalar.JSON;
      case "tuple" ->
        container(shape(type.items().orElseThrow().get(0), name, documentation), false);
      default -> throw new IllegalArgumentException("unknown kind of type: " + type);
    };
  }

  private Shape mapped(Type type, String name, Optional<String> documentation) {
    Shape shape = shape(type, name, documentation);
    return shape == Shape.Scalar.STRING && isNullable(type) ? Shape.Scalar.NULLABLE_STRING : shape;
  }

  private static Shape base(String name) {
    return switch (name) {
      case "string", "URI", "DocumentUri", "RegExp" -> Shape.Scalar.STRING;
      case "integer" -> Shape.Scalar.INTEGER;
      case "uinteger" -> Shape.Scalar.UINTEGER;
      case "long" -> Shape.Scalar.LONG;
      case "decimal" -> Shape.Scalar.DECIMAL;
      case "boolean" -> Shape.Scalar.BOOLEAN;
      default -> throw new IllegalArgumentException("unknown base type: " + name);
    };
  }

  private Shape reference(String name) {
    if (ANY.contains(name)) {
      return Shape.Scalar.JSON;
    } else if (structures.containsKey(name) || protocol.own().contains(name)) {
      return new Shape.Named(name, name, 'o');
    } else if (enumerations.containsKey(name)) {
      boolean text = enumerations.get(name).type().name().orElseThrow().equals("string");
      return new Shape.Named(name, name, text ? 's' : 'n');
    }
    Alias alias = aliases.get(name);
    return shape(alias.type(), name, alias.documentation());
  }

  private Shape container(Shape element, boolean isMap) {
    Shape.Container container = new Shape.Container(element, isMap);
    Shape.Container known = containers.put(container.id(), container);
    if (known != null && !known.equals(container)) { // lists of integers and of unsigned ones
      throw new IllegalArgumentException("two kinds of " + container.id());
    }
    return container;
  }

  private Shape union(Type type, String otherwise, Optional<String> documentation) {
    List<Type> items =
        type.items().orElseThrow().stream().filter(each -> !each.isNull()).toList();
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      shapes.add(shape(items.get(i), otherwise + "Item", documentation));
    }
    if (shapes.size() == 1) {
      return shapes.get(0);
    }
    String key = shapes.stream().map(Types::key).collect(Collectors.joining("|"));
    boolean named = aliases.containsKey(otherwise);
    String name = named ? otherwise : protocol.unionNames().getOrDefault(key, otherwise);
    String known = unionNames.putIfAbsent(name, key);
    if (known != null && !known.equals(key) || structures.containsKey(name)) {
      throw new IllegalArgumentException("two types have the name " + name + ": " + key);
    }
    boolean shared = !named && protocol.unionNames().containsKey(key);
    boolean tagged = items.stream().anyMatch(this::hasLiteral);
    unions.put(
        name,
        new Union(
            name,
            shapes.stream()
                .map(each -> new Variant(each, wrapper(each, tagged)))
                .toList(),
            shared ? Optional.empty() : documentation));
    return new Shape.Named(name, name + "Json", '*');
  }

  private static String key(Shape shape) {
    return shape instanceof Shape.Scalar scalar
        ? scalar.name()
        : shape instanceof Shape.Container container ? container.id() : shape.boxed();
  }

  /** Returns whether a type is a structure with a member that marks it. */
  private boolean hasLiteral(Type type) {
    Structure structure =
        type.kind().equals("reference") ? structures.get(type.name().orElseThrow()) : null;
    return structure != null
        && members(structure).stream().anyMatch(each -> !each.literal().isEmpty());
  }

  private static String wrapper(Shape shape, boolean tagged) {
    if (shape instanceof Shape.Container container) {
      return "Of" + container.id();
    } else if (shape == Shape.Scalar.JSON) {
      return tagged ? "Unknown" : "OfObject";
    }
    return shape instanceof Shape.Scalar ? "Of" + shape.boxed() : "";
  }

  /** Returns the unions that have this type as a variant, by its Java name. */
  List<String> above(String type) {
    return unions.values().stream()
        .filter(union -> union.variants().stream()
            .anyMatch(
                variant -> variant.name().isEmpty() && variant.shape().boxed().equals(type)))
        .map(Union::name)
        .toList();
  }

  /** Returns the structures among the variants of a union, also those of unions inside. */
  List<Structure> structuresIn(Union union) {
    List<Structure> found = new ArrayList<>();
    for (Variant variant : union.variants()) {
      String type = variant.shape().boxed();
      if (unions.containsKey(type)) {
        found.addAll(structuresIn(unions.get(type)));
      } else if (variant.name().isEmpty() && structures.containsKey(type)) {
        found.add(structures.get(type));
      }
    }
    return found;
  }

  Structure structure(String name) {
    return structures.get(name);
  }

  /** Returns the annotation of a generated type that reads and writes itself. */
  String annotation(String name) {
    if (protocol.protobuf()) {
      return "";
    }
    return results.contains(name) ? "@GeneratedType(nullable = false)\n" : "@GeneratedType\n";
  }

  Protocol protocol() {
    return protocol;
  }

  /** Returns the name in Java of a member or message. */
  static String java(String name) {
    return KEYWORDS.contains(name) ? name + "_" : plain(name);
  }

  /** Returns the name of a member without the underscore of {@code _meta}. */
  static String plain(String name) {
    return name.startsWith("_") ? name.substring(1) : name;
  }
}
