package dev.repartee.json;

import dev.repartee.internal.Generics;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The mapping between Java types and JSON: the types that this module supports itself, and for all
 * others the types of an installed {@link Binder}.
 *
 * <p>JSON {@code null} reads as Java's null for every type except primitives, {@link Json} and the
 * optional types. A method must refuse a null that it cannot use.
 */
final class Types {
  /**
   * The types by declared class. A {@link ClassValue} does not keep a class from being unloaded.
   */
  private static final ClassValue<JsonType<?>> DECLARED = new ClassValue<>() {
    @Override
    protected JsonType<?> computeValue(Class<?> type) {
      return TypeResolver.resolve(type);
    }
  };

  /** The types by the run-time class of a value; for writing only. */
  private static final ClassValue<JsonType<?>> FOUND = new ClassValue<>() {
    @Override
    protected JsonType<?> computeValue(Class<?> type) {
      return find(type);
    }
  };

  private Types() {}

  /** Returns the JSON mapping of a class, as {@link #of(Type)} does. The result is cached. */
  @SuppressWarnings("unchecked")
  static <T> JsonType<T> of(Class<T> type) {
    return (JsonType<T>) DECLARED.get(type);
  }

  /**
   * Returns the JSON mapping of a type. That of a generic type is built anew at each call, so
   * callers keep it.
   *
   * @throws IllegalArgumentException if neither this module nor a binder supports the type
   */
  static JsonType<?> of(Type type) {
    return type instanceof Class<?> raw ? DECLARED.get(raw) : TypeResolver.resolve(type);
  }

  /**
   * Writes a value by its run-time class.
   *
   * @throws IllegalArgumentException if the class is not supported, or the value contains itself
   */
  static void write(JsonWriter out, @Nullable Object value) {
    if (value == null) {
      out.nil();
    } else if (value instanceof String text) {
      out.string(text);
    } else if (value instanceof Json json) {
      out.json(json);
    } else if (value instanceof Boolean bool) {
      out.bool(bool);
    } else if (value instanceof Number number) {
      write(out, number);
    } else {
      dynamic(out, value);
    }
  }

  private static void write(JsonWriter out, Number value) {
    if (value instanceof Integer || value instanceof Long) {
      out.number(value.longValue());
    } else if (value instanceof Double) {
      out.number(value.doubleValue());
    } else if (value instanceof BigDecimal decimal) {
      out.number(decimal);
    } else if (value instanceof BigInteger integer) {
      out.number(integer);
    } else {
      dynamic(out, value);
    }
  }

  @SuppressWarnings("unchecked") // the type was found by the value's class
  private static void dynamic(JsonWriter out, Object value) {
    ((JsonType<Object>) FOUND.get(value.getClass())).write(out, value);
  }

  private static JsonType<?> find(Class<?> type) {
    if (type == Object.class) { // declared as Object, it gets the type that calls this method
      throw new IllegalArgumentException(
          "a plain java.lang.Object has no JSON form: give a value of another class, or null");
    } else if (Iterable.class.isAssignableFrom(type) && !iteratesOverItsKind(type, type)) {
      return new ListType<>(false, NaturalType.INSTANCE);
    } else if (Map.class.isAssignableFrom(type)) {
      return new MapType<>(NaturalType.INSTANCE);
    } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
      return new ArrayType(Object.class, NaturalType.INSTANCE);
    } else if (type == Optional.class) {
      return OptionalType.of(NaturalType.INSTANCE);
    } else if (CharSequence.class.isAssignableFrom(type)) {
      return of(CharSequence.class);
    }
    return of(type);
  }

  /**
   * Whether a type iterates over parts of its own kind, as {@code Path} and Jackson's {@code
   * JsonNode} do. Such types are trees with a JSON form of their own. Written as lists, their
   * leaves would be empty lists.
   */
  private static boolean iteratesOverItsKind(Class<?> type, @Nullable Type declared) {
    if (declared == null || Collection.class.isAssignableFrom(type)) {
      return false;
    } else if (declared instanceof ParameterizedType p && p.getRawType() == Iterable.class) {
      return p.getActualTypeArguments()[0] instanceof Class<?> element
          && Iterable.class.isAssignableFrom(element)
          && element.isAssignableFrom(type);
    }
    Class<?> raw = Generics.raw(declared);
    return iteratesOverItsKind(type, raw.getGenericSuperclass())
        || Stream.of(raw.getGenericInterfaces()).anyMatch(each -> iteratesOverItsKind(type, each));
  }
}
