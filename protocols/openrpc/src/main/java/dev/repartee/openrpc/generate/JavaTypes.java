package dev.repartee.openrpc.generate;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The Java types of an API: their names, and their relations as alternatives of others. */
final class JavaTypes {
  /** A record with more components, or a method with more parameters, may exceed 255 slots. */
  static final int MOST_COMPONENTS = 120;

  private static final Set<String> KEYWORDS = Set.of(
      "abstract",
      "assert",
      "boolean",
      "break",
      "byte",
      "case",
      "catch",
      "char",
      "class",
      "const",
      "continue",
      "default",
      "do",
      "double",
      "else",
      "enum",
      "extends",
      "final",
      "finally",
      "float",
      "for",
      "goto",
      "if",
      "implements",
      "import",
      "instanceof",
      "int",
      "interface",
      "long",
      "native",
      "new",
      "package",
      "private",
      "protected",
      "public",
      "return",
      "short",
      "static",
      "strictfp",
      "super",
      "switch",
      "synchronized",
      "this",
      "throw",
      "throws",
      "transient",
      "try",
      "void",
      "volatile",
      "while",
      "true",
      "false",
      "null",
      "_");

  /** The methods of {@code Object}, whose names components and methods cannot have. */
  private static final Set<String> OBJECT = Set.of(
      "clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait");

  /** The names in generated code that a type of the API must not hide. */
  private static final Set<String> TYPES = Set.of(
      "Boolean",
      "Deprecated",
      "Double",
      "Enum",
      "Inline",
      "Json",
      "List",
      "Long",
      "Map",
      "Object",
      "OneOf",
      "Optional",
      "Override",
      "Param",
      "Record",
      "RemoteStream",
      "Rpc",
      "RpcException",
      "Streamed",
      "String");

  private static final Map<String, String> PACKAGES = Map.of(
      "Inline", "dev.repartee.json",
      "Json", "dev.repartee.json",
      "List", "java.util",
      "Map", "java.util",
      "OneOf", "dev.repartee.json",
      "Optional", "java.util",
      "Param", "dev.repartee",
      "RemoteStream", "dev.repartee.stream",
      "Rpc", "dev.repartee",
      "Streamed", "dev.repartee.stream");

  private final Map<Declaration, String> names = new HashMap<>();
  private final Map<Declaration, Set<Declaration>> unions = new HashMap<>();
  private final Map<Declaration, Body.Alternative> tagged = new HashMap<>();
  private final Map<Declaration, String> tags = new HashMap<>();
  private final String api;
  private final String notifications;

  /**
   * Names the types of an API.
   *
   * @param name the name of the interface, in the style of any language
   */
  JavaTypes(Api api, String name) {
    Names types = new Names(Words::upperCamel, TYPES);
    this.api = types.unique(name);
    this.notifications = api.notifications().isEmpty() ? "" : types.unique(name + " notifications");
    for (Declaration declared : api.declarations()) {
      if (!isAlias(declared)) {
        names.put(declared, types.unique(declared.name()));
      }
    }
    for (Declaration declared : api.declarations()) {
      if (declared.body() instanceof Body.Union union) {
        relate(declared, union);
      }
    }
  }

  private void relate(Declaration declared, Body.Union union) {
    for (Body.Alternative alternative : union.alternatives()) {
      Declaration part = implementing(alternative.type());
      if (part == null) {
        continue; // it gets a wrapper
      }
      unions.computeIfAbsent(part, key -> new LinkedHashSet<>()).add(declared);
      if (union.tag() != null && tags.putIfAbsent(part, union.tag()) == null) {
        tagged.put(part, alternative);
      }
    }
  }

  /** Returns names for the components of a record. */
  static Names components() {
    Set<String> reserved = new HashSet<>(KEYWORDS);
    reserved.addAll(OBJECT);
    return new Names(Words::lowerCamel, reserved);
  }

  /** Returns names for methods. */
  static Names methods() {
    return components();
  }

  /** Returns names for parameters. */
  static Names parameters() {
    return new Names(Words::lowerCamel, KEYWORDS);
  }

  /** Returns names for the constants of an enum. */
  static Names constants() {
    return new Names(Words::upperSnake, KEYWORDS);
  }

  /** Returns names for the types within a sealed interface, which must not hide others. */
  Names nested() {
    Names nested = new Names(Words::upperCamel, TYPES);
    nested.unique(api);
    names.values().stream().sorted().forEach(nested::reserve);
    return nested;
  }

  /** Returns the name of the interface with the methods. */
  String api() {
    return api;
  }

  /** Returns the name of the interface with the notifications that the server sends. */
  String notifications() {
    return notifications;
  }

  String name(Declaration declared) {
    return names.getOrDefault(declared, "");
  }

  /** Returns the types of which a type is an alternative. */
  Collection<String> unions(Declaration declared) {
    return unions.getOrDefault(declared, Set.of()).stream().map(this::name).toList();
  }

  /** Returns the name of the member that names the alternative; null if there is none. */
  @Nullable String tag(Declaration declared) {
    return tags.get(declared);
  }

  /** Returns the value of the member that names the alternative. */
  String tagValue(Declaration declared) {
    Body.Alternative alternative = tagged.get(declared);
    return alternative == null || alternative.tag() == null ? "" : alternative.tag();
  }

  /** Returns the record, enum or interface that a type is; null for all others. */
  static @Nullable Declaration implementing(Type type) {
    Type plain = plain(type);
    return plain instanceof Type.Named named ? named.declaration() : null;
  }

  /** Returns the type that an alias stands for; any if this is an alias of itself. */
  static Type plain(Type type) {
    Set<Declaration> path = new HashSet<>();
    Type plain = type;
    while (plain instanceof Type.Named named && isAlias(named.declaration())) {
      if (!path.add(named.declaration())) {
        return Type.ANY;
      }
      plain = named.declaration().body() instanceof Body.Alias alias
          ? alias.type()
          : new Type.MapOf(Type.ANY);
    }
    return plain;
  }

  /** Returns whether a declaration has no type in Java. */
  static boolean isAlias(Declaration declared) {
    return declared.body() instanceof Body.Alias
        || declared.body() instanceof Body.Members object
            && object.members().size() > MOST_COMPONENTS;
  }

  /** Returns the Java type; primitive types for values that are never missing or null. */
  String type(Type type) {
    Type plain = plain(type);
    if (plain instanceof Type.Constant constant) {
      plain = constant.general();
    }
    return plain == Type.Scalar.INTEGER
        ? "long"
        : plain == Type.Scalar.NUMBER
            ? "double"
            : plain == Type.Scalar.BOOLEAN ? "boolean" : boxed(type);
  }

  /** Returns the Java type as a type argument. */
  String boxed(Type type) {
    return boxed(type, new HashSet<>());
  }

  /** @param path the aliases around the type, which it must not contain */
  private String boxed(Type type, Set<Declaration> path) {
    if (type instanceof Type.Named named) {
      Declaration declared = named.declaration();
      if (!isAlias(declared)) {
        return name(declared);
      } else if (!path.add(declared)) {
        return "Json";
      }
      String target = declared.body() instanceof Body.Alias alias
          ? boxed(alias.type(), path)
          : "Map<String, Json>";
      path.remove(declared);
      return target;
    } else if (type instanceof Type.ListOf list) {
      return "List<" + boxed(list.items(), path) + '>';
    } else if (type instanceof Type.MapOf map) {
      return "Map<String, " + boxed(map.values(), path) + '>';
    } else if (type instanceof Type.OrNull nullable) {
      return boxed(nullable.type(), path);
    } else if (type instanceof Type.Constant constant) {
      return boxed(constant.general(), path);
    } else if (type instanceof Type.Scalar scalar) {
      return switch (scalar) {
        case STRING -> "String";
        case INTEGER -> "Long";
        case NUMBER -> "Double";
        case BOOLEAN -> "Boolean";
        case NULL -> "Json";
      };
    }
    return "Json";
  }

  /** Returns the imports that the words of a code need. */
  static Set<String> imports(String code) {
    Set<String> imports = new TreeSet<>();
    for (String word : code.split("[^A-Za-z0-9_]+", -1)) {
      String name = PACKAGES.get(word);
      if (name != null) {
        imports.add(name + '.' + word);
      }
    }
    return imports;
  }
}
