package dev.repartee.json;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The type of an optional. JSON {@code null} represents an empty optional.
 *
 * @param <O> the class of the optional
 * @param <T> the class of its value, boxed
 */
final class OptionalType<O, T> extends StreamingType<O> {
  private final JsonType<T> type;
  private final O empty;
  private final Function<T, O> wrap;
  private final Function<O, T> unwrap;

  private OptionalType(JsonType<T> type, O empty, Function<T, O> wrap, Function<O, T> unwrap) {
    this.type = type;
    this.empty = empty;
    this.wrap = wrap;
    this.unwrap = unwrap;
  }

  /**
   * Returns the type of an {@link Optional}; it never reads or writes null through {@code type}.
   */
  @SuppressWarnings("unchecked") // used with values of that type only
  static JsonType<Optional<Object>> of(JsonType<?> type) {
    return new OptionalType<>(
        (JsonType<Object>) type, Optional.empty(), Optional::of, Optional::orElseThrow);
  }

  /** Returns the type of a primitive optional class, or null for any other class. */
  static @Nullable JsonType<?> of(Class<?> raw) {
    if (raw == OptionalInt.class) {
      return new OptionalType<>(
          JsonType.of(int.class), OptionalInt.empty(), OptionalInt::of, OptionalInt::orElseThrow);
    }
    if (raw == OptionalLong.class) {
      return new OptionalType<>(
          JsonType.of(long.class),
          OptionalLong.empty(),
          OptionalLong::of,
          OptionalLong::orElseThrow);
    }
    if (raw == OptionalDouble.class) {
      return new OptionalType<>(
          JsonType.of(double.class),
          OptionalDouble.empty(),
          OptionalDouble::of,
          OptionalDouble::orElseThrow);
    }
    return null;
  }

  /** Returns the type of the value. */
  @SuppressWarnings("unchecked") // it only reads here
  JsonType<@Nullable Object> inner() {
    return (JsonType<@Nullable Object>) (JsonType<?>) type;
  }

  static boolean is(Class<?> raw) {
    return raw == Optional.class
        || raw == OptionalInt.class
        || raw == OptionalLong.class
        || raw == OptionalDouble.class;
  }

  @Override
  public O read(JsonReader c) {
    return c.isNull() ? empty : wrap.apply(c.value(type));
  }

  @Override
  public void write(JsonWriter out, @Nullable O value) {
    if (value == null || isEmpty(value)) {
      out.nil();
    } else {
      type.write(out, unwrap.apply(value));
    }
  }

  /** Returns whether the value is an empty optional. */
  static boolean isEmpty(@Nullable Object value) {
    return Optional.empty().equals(value)
        || OptionalInt.empty().equals(value)
        || OptionalLong.empty().equals(value)
        || OptionalDouble.empty().equals(value);
  }

  @Override
  public Json absent() {
    return Json.NULL;
  }

  @Override
  public boolean isAbsent(@Nullable O value) {
    return value == null || isEmpty(value);
  }

  @Override
  public Json schema() {
    return Schemas.orNull(type.schema());
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return Schemas.orNull(type.schema(definitions));
  }
}
