package dev.repartee;

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
 * How Java types look as JSON: those of this module's own, and else what a {@link Binder} knows.
 *
 * <p>{@code null} is read as Java's null for every type but the primitives, {@link Json} and the
 * optionals; it is for the method to refuse.
 */
final class Types {
  /** By the declared type. A class value, so that a class can be unloaded with its loader. */
  private static final ClassValue<JsonType<?>> DECLARED = new ClassValue<>() {
    @Override
    protected JsonType<?> computeValue(Class<?> type) {
      return TypeResolver.resolve(type);
    }
  };

  /** By the class that a value was found to have; for writing only. */
  private static final ClassValue<JsonType<?>> FOUND = new ClassValue<>() {
    @Override
    protected JsonType<?> computeValue(Class<?> type) {
      return find(type);
    }
  };

  private Types() {}

  /** As {@link #of(Type)}; the answer for a class is cached. */
  @SuppressWarnings("unchecked")
  static <T> JsonType<T> of(Class<T> type) {
    return (JsonType<T>) DECLARED.get(type);
  }

  /**
   * How that type is read and written. A generic type is resolved anew each time: keep it.
   *
   * @throws IllegalArgumentException if nothing knows
   */
  static JsonType<?> of(Type type) {
    return type instanceof Class<?> raw ? DECLARED.get(raw) : TypeResolver.resolve(type);
  }

  /**
   * Writes a value by its class.
   *
   * @throws IllegalArgumentException if nothing knows the class, or the value holds itself
   */
  static void write(Output out, @Nullable Object value) {
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

  private static void write(Output out, Number value) {
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
  private static void dynamic(Output out, Object value) {
    ((JsonType<Object>) FOUND.get(value.getClass())).write(out, value);
  }

  private static JsonType<?> find(Class<?> type) {
    if (type == Object.class) { // which, declared, is the type that comes here
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
   * Returns whether a type iterates over parts of its own kind, as {@code Path} and Jackson's {@code JsonNode} do.
   * Those are trees with a form of their own, and no lists, which would be empty at the leaves.
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
