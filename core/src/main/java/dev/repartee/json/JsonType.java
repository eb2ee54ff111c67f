package dev.repartee.json;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the JSON of one Java type. Immutable and thread-safe.
 *
 * @param <T> the Java type, boxed where it is primitive
 */
public interface JsonType<T extends @Nullable Object> {
  /**
   * Returns the mapping of a Java class, as {@link #of(Type)} does. The result is cached.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  static <T> JsonType<T> of(Class<T> type) {
    return JsonTypes.standard().of(type);
  }

  /**
   * Returns the mapping of a Java type: a type that core supports itself, or one of an installed
   * {@link Binder}. The mapping of a generic type is built anew at each call; keep it.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  static JsonType<?> of(Type type) {
    return JsonTypes.standard().of(type);
  }

  /**
   * Returns the mapping of a generic type, as {@link #of(Type)} does. Keep it: it is built anew at
   * each call.
   *
   * @throws IllegalArgumentException if neither core nor a binder supports the type
   */
  static <T> JsonType<T> of(TypeToken<T> type) {
    return JsonTypes.standard().of(type);
  }

  /**
   * Reads the value in {@code bytes[from, to)}, which is valid JSON without white space around it.
   * The array may be a buffer that is overwritten after this method returns; do not keep a
   * reference.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   *     ("an integer from -128 to 127") and never a Java class, since it is sent to the peer
   */
  T read(byte[] bytes, int from, int to);

  /**
   * Reads a value as {@link #read(byte[], int, int)} does, with that treatment of unknown members
   * in objects of any depth. The default is for types without such objects.
   *
   * @throws JsonException if the value does not fit the type
   */
  default T read(byte[] bytes, int from, int to, UnknownMembers unknown) {
    return read(bytes, from, to);
  }

  /**
   * Writes a Java value as exactly one JSON value.
   *
   * @throws IllegalArgumentException if the value has no JSON form
   */
  void write(JsonWriter out, T value);

  /**
   * Returns the value that a missing member or argument of this type has; null, the default, if it
   * must be present. The optional types return {@link Json#NULL}.
   */
  default @Nullable Json absent() {
    return null;
  }

  /**
   * Returns whether a member or argument with this value is left out when it is written, as an
   * empty optional is.
   */
  default boolean isAbsent(T value) {
    return false;
  }

  /** Returns the JSON Schema (draft-07) of the type; {@code true} where it is not known. */
  default Json schema() {
    return Json.TRUE;
  }

  /**
   * Returns the schema for a document that describes each named type once. It refers to the named
   * types that it contains, and adds them to the definitions. The default, {@link #schema()}, is
   * for types without a name that contain no other types.
   */
  default Json schema(SchemaDefinitions definitions) {
    return schema();
  }
}
