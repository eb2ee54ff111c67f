package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the JSON of one Java type. Immutable and thread-safe.
 *
 * @param <T> the Java type, boxed where it is primitive
 */
public interface JsonType<T extends @Nullable Object> {
  /**
   * Reads the value in {@code bytes[from, to)}: valid JSON without white space around it, which may
   * stand in a buffer that is used again as soon as this returns.
   *
   * @throws JsonException if it does not fit; the message says what was expected ("an integer from
   *     -128 to 127") and never names a Java class
   */
  T read(byte[] bytes, int from, int to);

  /**
   * Writes a value: exactly one JSON value.
   *
   * @throws IllegalArgumentException if it has no JSON form
   */
  void write(Output out, T value);

  /** The JSON Schema (draft-07) that describes the type, as far as it is known. */
  default Json schema() {
    return Json.TRUE;
  }
}
