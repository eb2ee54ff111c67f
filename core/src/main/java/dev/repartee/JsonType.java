package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the JSON of one Java type. Immutable and thread-safe.
 *
 * @param <T> the Java type, boxed where it is primitive
 */
public interface JsonType<T extends @Nullable Object> {
  /**
   * Reads the value in {@code bytes[from, to)}, which is valid JSON without white space around it.
   * The array may be a buffer that is overwritten after this method returns, so do not keep it.
   *
   * @throws JsonException if the value does not fit the type; the message names the expected form
   *     ("an integer from -128 to 127") and never a Java class, since it is sent to the peer
   */
  T read(byte[] bytes, int from, int to);

  /**
   * Writes a Java value as exactly one JSON value.
   *
   * @throws IllegalArgumentException if the value has no JSON form
   */
  void write(JsonWriter out, T value);

  /** Returns the JSON Schema (draft-07) of the type; {@code true} where it is not known. */
  default Json schema() {
    return Json.TRUE;
  }
}
