package dev.repartee.json;

import dev.repartee.internal.reflect.Generics;
import dev.repartee.internal.reflect.Javadoc;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The schemas of the named types of one document, records, enums and {@linkplain OneOf
 * alternatives}. The document describes each of them once, and refers to it elsewhere. Types may
 * therefore contain themselves. Not thread-safe.
 *
 * <pre>{@code
 * SchemaDefinitions definitions = new SchemaDefinitions("#/components/schemas/");
 * Json schema = JsonType.of(Order.class).schema(definitions);
 * // {"$ref":"#/components/schemas/Order"}
 * Map<String, Json> described = definitions.schemas();
 * }</pre>
 *
 * <p>The name of a definition is the simple name of the class: {@code Order}. The arguments of a
 * generic type follow: {@code PageOfOrder}, {@code PairOfStringAndListOfOrder}. If the name belongs
 * to another type already, the names of the enclosing classes and the words of the package precede
 * it, one after the other from the innermost, until it is free: {@code InvoiceOrder} for {@code
 * Invoice.Order}, {@code BillingOrder} for {@code com.shop.billing.Order}. If all of them are taken
 * (one class with the mappings of two registries), a number follows, from 2 on. Characters other
 * than letters of ASCII, digits and underscores become underscores.
 */
public final class SchemaDefinitions {
  /** A type as one registry maps it. Another registry may name its members differently. */
  private record Key(Type type, JsonTypes types) {}

  private final String place;
  private final Map<Key, String> names = new HashMap<>();
  private final Map<String, Json> schemas = new TreeMap<>();

  /**
   * Creates an empty collection.
   *
   * @param place the start of the references, to which the name of the definition is added: {@code
   *     "#/components/schemas/"}
   */
  public SchemaDefinitions(String place) {
    this.place = place;
  }

  /**
   * Returns a reference to the schema of a named type; for implementations of {@link
   * JsonType#schema(SchemaDefinitions)}.
   *
   * @param type the Java type
   * @param types the registry that maps the type
   * @param schema creates the schema; it runs when the type is met for the first time, and may refer
   *     to the type itself
   */
  public Json named(Type type, JsonTypes types, Supplier<Json> schema) {
    Key key = new Key(type, types);
    String name = names.get(key);
    if (name == null) {
      name = free(type);
      names.put(key, name);
      schemas.put(name, Json.TRUE); // reserves the name: the schema may contain itself
      String description = Javadoc.of(Generics.raw(type)).description();
      schemas.put(name, Schemas.annotated(schema.get(), description, false));
    }
    return Schemas.json(
        new JsonWriter().ascii("{\"$ref\":").string(place + name).put('}'));
  }

  /**
   * Returns the schema of a type, with references in its inside only: for places that list the
   * members of a record without naming it.
   */
  public Json inFull(JsonType<?> type) {
    return type instanceof RecordType<?> record ? record.describe(this) : type.schema(this);
  }

  /** Returns the definitions so far by name, sorted by name. A copy. */
  public Map<String, Json> schemas() {
    return new TreeMap<>(schemas);
  }

  private String free(Type type) {
    String name = name(type);
    for (String word : surroundings(Generics.raw(type))) {
      if (!schemas.containsKey(name)) {
        return name;
      }
      name = word + name;
    }
    String free = name;
    for (int i = 2; schemas.containsKey(free); i++) {
      free = name + i;
    }
    return free;
  }

  private static String name(Type type) {
    Class<?> raw = Generics.raw(type);
    if (type instanceof ParameterizedType p) {
      return word(raw.getSimpleName())
          + Stream.of(p.getActualTypeArguments())
              .map(SchemaDefinitions::name)
              .collect(Collectors.joining("And", "Of", ""));
    } else if (type instanceof GenericArrayType array) {
      return "ArrayOf" + name(array.getGenericComponentType());
    }
    return raw.isArray() ? "ArrayOf" + name(raw.getComponentType()) : word(raw.getSimpleName());
  }

  /** Returns the enclosing classes and then the words of the package, the innermost first. */
  private static List<String> surroundings(Class<?> raw) {
    List<String> words = new ArrayList<>();
    for (Class<?> c = raw.getEnclosingClass(); c != null; c = c.getEnclosingClass()) {
      words.add(word(c.getSimpleName()));
    }
    String[] packages = raw.getPackageName().split("\\.");
    for (int i = packages.length - 1; i >= 0; i--) {
      words.add(word(packages[i]));
    }
    return words;
  }

  private static String word(String name) {
    String word = name.replaceAll("[^A-Za-z0-9_]", "_");
    return word.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }
}
