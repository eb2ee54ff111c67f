package dev.repartee.json;

import org.jspecify.annotations.Nullable;

/**
 * A type that finds the end of its value while it reads. It reads each byte once, however deep
 * values nest. A reader that needs the end first would scan each byte once for each level.
 *
 * <p>Subclasses outside of this library are mappings that read objects themselves, with {@link
 * MemberNames}.
 *
 * @param <T> the Java type
 */
public abstract class StreamingType<T extends @Nullable Object> implements JsonType<T> {
  /** Creates a type. */
  protected StreamingType() {}

  /**
   * Reads the value at the reader's position and moves past it.
   *
   * @throws JsonException if the value does not fit the type; see {@link JsonType#read}
   */
  public abstract T read(JsonReader in);

  @Override
  public final T read(byte[] bytes, int from, int to) {
    return read(new JsonReader(bytes, from, to));
  }

  @Override
  public final T read(byte[] bytes, int from, int to, UnknownMembers unknown) {
    return read(new JsonReader(bytes, from, to).unknown(unknown));
  }
}
