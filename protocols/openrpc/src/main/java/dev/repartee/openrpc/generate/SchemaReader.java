package dev.repartee.openrpc.generate;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.generate.SchemaShape.Located;
import dev.repartee.transport.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the schemas of a document (JSON Schema, draft-07) as types. Objects, sets of strings and
 * alternatives become declarations:
 *
 * <ul>
 *   <li>The target of a reference is declared once, with the name in its pointer.
 *   <li>An inline schema is declared with its {@code title}, if this is a short phrase, or else with
 *       the names on the way to it: method, parameter, property. Inline schemas of equal content
 *       share one declaration, except if they have different titles.
 * </ul>
 *
 * <p>Some constructs have no equivalent: {@code not}, {@code if} and restrictions of values are
 * ignored. An object that has no members is read as any value: documents made by reflection
 * describe types with a JSON form of their own in this way.
 */
final class SchemaReader {
  private static final Pattern COMPONENT = Pattern.compile("#/components/schemas/[^/]*");
  private static final int LONGEST_TITLE = 40;
  private static final int LONGEST_OWNER = 200;
  private static final int MOST_WORDS = 6;

  /** The names in pointers that are keywords, not names that the author has chosen. */
  private static final Set<String> KEYWORDS = Set.of(
      "components",
      "schemas",
      "contentDescriptors",
      "schema",
      "properties",
      "definitions",
      "$defs",
      "items",
      "additionalProperties",
      "patternProperties",
      "methods",
      "params",
      "oneOf",
      "anyOf",
      "allOf");

  /** The keywords about a value that do not determine its type. */
  private static final Set<String> TEXTS =
      Set.of("title", "description", "default", "examples", "deprecated");

  private static final Set<String> KINDS =
      Set.of("object", "array", "string", "number", "integer", "boolean", "null");

  /** A declaration that others may share; {@code title} is null if the path has named it. */
  private record Shared(Declaration declaration, @Nullable String title) {}

  private final OpenRpc document;
  private final List<Declaration> declarations = new ArrayList<>();
  private final Map<String, Declaration> targets = new HashMap<>(); // by pointer
  private final Set<Declaration> parts = new HashSet<>(); // targets that are not components
  private final Map<String, SchemaShape> shapes = new HashMap<>(); // of targets, by pointer
  private final Map<Json, Type> known = new HashMap<>(); // of inline schemas
  private final Map<Object, List<Shared>> shared = new HashMap<>();
  private final Queue<Runnable> unread = new ArrayDeque<>();
  private final UnionReader unions = new UnionReader(this);

  SchemaReader(OpenRpc document) {
    this.document = document;
    document.schemas().forEach((name, schema) -> {
      String reference = "#/components/schemas/" + JsonPointer.inFragment(name);
      target(reference, name, new Located(schema, reference.substring(1)));
    });
    readTargets();
  }

  static OpenRpcException fault(Located at, String fault) {
    return new OpenRpcException(at.pointer(), fault);
  }

  /** Returns the declarations in the order of their first use, those of components first. */
  List<Declaration> declarations() {
    return declarations;
  }

  /** Returns the declarations that stand for a part of another schema, not for a component. */
  Set<Declaration> parts() {
    return parts;
  }

  /**
   * Returns the type of a schema.
   *
   * @param name the names on the way to the schema
   */
  Type type(Located at, String name) {
    Type type = read(at, name);
    readTargets();
    return type;
  }

  private void readTargets() {
    for (Runnable next = unread.poll(); next != null; next = unread.poll()) {
      next.run();
    }
  }

  /** Returns the type of a schema; the targets of its references may not be read yet. */
  Type read(Located at, String name) {
    Json schema = at.schema();
    if (schema.kind() == Json.Kind.BOOLEAN) {
      return Type.ANY;
    } else if (schema.kind() != Json.Kind.OBJECT) {
      throw fault(at, "expected a schema, which is an object or a boolean");
    }
    String reference = reference(schema);
    if (reference != null) {
      return new Type.Named(namedTarget(reference));
    }
    Type type = known.get(schema);
    if (type == null) {
      type = typed(shape(at), new Subject(at, name, usableTitle(schema), null));
      known.put(schema, type);
    }
    return type;
  }

  /** Returns the reference of a schema that is nothing else; null if it is more or has none. */
  private static @Nullable String reference(Json schema) {
    Json parts = schema.get("allOf");
    Json part = parts == null || parts.at(1) != null ? null : parts.at(0);
    boolean only = schema.members().keySet().stream()
        .allMatch(each -> each.equals("allOf") || TEXTS.contains(each));
    return part != null && only ? part.string("$ref") : schema.string("$ref");
  }

  /**
   * The schema that a type is made from.
   *
   * @param title the title, if it is a name; null for the target of a reference
   * @param target the declaration to define; null for an inline schema
   */
  record Subject(
      Located at,
      String name,
      @Nullable String title,
      @Nullable Declaration target) {
    /** Returns the name of the declaration. */
    String declared() {
      return title == null ? name : title;
    }

    /** Returns the subject for a part of the type, which cannot define the target. */
    Subject part() {
      return target == null ? this : new Subject(at, name + " value", title, null);
    }
  }

  private Declaration namedTarget(String given) {
    Located at = resolve(given); // fails if there is no target
    String reference = given.contains("%") ? Endpoint.decoded(given).replace("%", "%25") : given;
    String name = "";
    for (String token : reference.substring(1).split("/", -1)) {
      if (!KEYWORDS.contains(token) && !token.matches("[0-9]*")) {
        name += (name.isEmpty() ? "" : " ") + JsonPointer.unescaped(token.replace("%25", "%"));
      }
    }
    return target(reference, name.isEmpty() ? document.info().title() : name, at);
  }

  /** @param reference the reference, in the form that is the same for all references to a target */
  private Declaration target(String reference, String name, Located at) {
    Declaration known = targets.get(reference);
    if (known != null) {
      return known;
    }
    Declaration target = new Declaration(name, Doc.ofSchema(at.schema(), name));
    if (!COMPONENT.matcher(reference).matches()) {
      parts.add(target);
    }
    targets.put(reference, target);
    declarations.add(target);
    unread.add(() -> define(target, at));
    return target;
  }

  private void define(Declaration target, Located at) {
    SchemaShape shape = shape(at); // fails if references form a loop
    if (at.schema().kind() == Json.Kind.OBJECT && at.schema().string("$ref") == null) {
      Type type = typed(shape, new Subject(at, target.name(), null, target));
      if (!(type instanceof Type.Named named && named.declaration() == target)) {
        target.define(new Body.Alias(type));
      }
    } else {
      target.define(new Body.Alias(read(at, target.name())));
    }
  }

  private Located resolve(String reference) {
    return new Located(
        document.resolve(reference), reference.isEmpty() ? "" : reference.substring(1));
  }

  /** Returns the keywords of a schema, with the targets of references and {@code allOf}. */
  SchemaShape shape(Located at) {
    return shape(at, new HashSet<>());
  }

  private SchemaShape shape(Located at, Set<String> path) {
    if (at.schema().kind() != Json.Kind.OBJECT) {
      return new SchemaShape();
    }
    String reference = at.schema().string("$ref");
    if (reference != null) {
      SchemaShape target = shapes.get(reference);
      if (target == null) {
        if (!path.add(reference)) {
          throw fault(at, "the schemas refer to each other in a loop");
        }
        target = shape(resolve(reference), path);
        path.remove(reference);
        shapes.put(reference, target);
      }
      return target;
    }
    SchemaShape shape = new SchemaShape();
    Json parts = at.schema().get("allOf");
    if (parts != null) {
      int index = 0;
      for (Json part : parts.elements()) {
        Located each = at.at("allOf", String.valueOf(index++), part);
        shape.add(shape(each, path));
      }
    }
    shape.add(at);
    return shape;
  }

  /** Returns the type of a merged schema. */
  Type typed(SchemaShape shape, Subject subject) {
    if (!shape.values.isEmpty()) {
      return values(shape.values, subject);
    } else if (!shape.alternatives.isEmpty()) {
      return unions.alternatives(shape, subject);
    }
    Set<String> kinds = shape.kinds();
    if (kinds.isEmpty()) {
      return Type.ANY;
    } else if (kinds.size() > 1) {
      return unions.kinds(shape, subject);
    }
    return switch (kinds.iterator().next()) {
      case "object" -> object(shape, subject);
      case "array" -> new Type.ListOf(items(shape, subject));
      case "string" -> Type.Scalar.STRING;
      case "integer" -> Type.Scalar.INTEGER;
      case "number" -> Type.Scalar.NUMBER;
      case "boolean" -> Type.Scalar.BOOLEAN;
      case "null" -> Type.Scalar.NULL;
      default ->
        throw fault(subject.at(), "there is no type '" + kinds.iterator().next() + "'");
    };
  }

  private Type values(List<Json> all, Subject subject) {
    List<Json> values = all.stream().filter(value -> !value.isNull()).distinct().toList();
    if (values.size() < all.stream().distinct().count()) {
      return values.isEmpty() ? Type.Scalar.NULL : Type.OrNull.of(values(values, subject.part()));
    } else if (values.size() == 1) {
      return new Type.Constant(values.get(0));
    } else if (values.stream().allMatch(value -> value.kind() == Json.Kind.STRING)) {
      return declare(new Body.Values(values.stream().map(Json::text).distinct().toList()), subject);
    }
    List<Type> general = values.stream()
        .map(value -> new Type.Constant(value).general())
        .distinct()
        .toList();
    return general.size() == 1
        ? general.get(0)
        : Set.of(Type.Scalar.INTEGER, Type.Scalar.NUMBER).containsAll(general)
            ? Type.Scalar.NUMBER
            : Type.ANY;
  }

  private Type object(SchemaShape shape, Subject subject) {
    List<Located> additional = shape.additional.stream()
        .filter(each -> !Json.FALSE.equals(each.schema()))
        .toList();
    Subject part = subject.part();
    Type others = additional.isEmpty() ? null : additional(additional, part);
    if (shape.properties.isEmpty()) {
      return others == null && shape.closed
          ? Type.ANY
          : new Type.MapOf(others == null ? Type.ANY : others);
    }
    List<Body.Member> members = new ArrayList<>();
    shape.properties.forEach((name, property) -> {
      if (!Json.FALSE.equals(property.schema())) {
        members.add(new Body.Member(
            name,
            read(property, within(owner(subject), name)),
            shape.required.contains(name),
            Doc.ofSchema(property.schema(), name)));
      }
    });
    return declare(new Body.Members(List.copyOf(members), others), subject);
  }

  /** Returns the name of a part; a long one is cut, since all parts may have the name of the whole. */
  static String within(String owner, String name) {
    return (owner.length() > LONGEST_OWNER ? owner.substring(0, LONGEST_OWNER) : owner)
        + ' '
        + name;
  }

  /** Returns the name of a declaration in the names of its parts. */
  static String owner(Subject subject) {
    return subject.target() == null ? subject.declared() : subject.name();
  }

  private Type additional(List<Located> schemas, Subject subject) {
    List<Type> types = schemas.stream()
        .map(each -> read(each, within(owner(subject), "value")))
        .distinct()
        .toList();
    return types.size() == 1 ? types.get(0) : Type.ANY;
  }

  private Type items(SchemaShape shape, Subject subject) {
    List<Type> types = shape.items.stream()
        .map(each -> read(each, within(owner(subject), "item")))
        .distinct()
        .toList();
    return types.size() == 1 ? types.get(0) : Type.ANY;
  }

  /** Declares a type; an inline schema may get an earlier declaration of equal content. */
  Type declare(Body body, Subject subject) {
    List<Shared> equal = shared.computeIfAbsent(content(body), key -> new ArrayList<>());
    if (subject.target() != null) {
      subject.target().define(body);
      equal.add(new Shared(subject.target(), subject.name()));
      return new Type.Named(subject.target());
    }
    String title = subject.title();
    for (Shared other : equal) {
      if (title == null || other.title() == null || title.equals(other.title())) {
        return new Type.Named(other.declaration());
      }
    }
    Declaration declared = new Declaration(
        subject.declared(), Doc.ofSchema(subject.at().schema(), subject.declared()));
    declared.define(body);
    declarations.add(declared);
    equal.add(new Shared(declared, title));
    return new Type.Named(declared);
  }

  /** Returns the content of a body without the texts for people. */
  private static Object content(Body body) {
    if (body instanceof Body.Members object) {
      List<Object> content = new ArrayList<>();
      content.add(String.valueOf(object.additional()));
      object
          .members()
          .forEach(each -> content.add(List.of(each.name(), each.type(), each.required())));
      return content;
    } else if (body instanceof Body.Union union) {
      return Set.copyOf(
          union.alternatives().stream().map(Body.Alternative::type).toList());
    }
    return body;
  }

  static @Nullable String usableTitle(Json schema) {
    String title = schema.string("title");
    if (title == null || title.length() > LONGEST_TITLE || KINDS.contains(title)) {
      return null;
    }
    int words = Words.of(title).size();
    return words == 0 || words > MOST_WORDS ? null : title;
  }
}
