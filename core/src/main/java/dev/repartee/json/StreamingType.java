package dev.repartee.json;

import org.jspecify.annotations.Nullable;

/**
 * A type that finds the end of its value while it reads. So each byte is read once, however deep
 * values nest. A reader that needs the end first would scan each byte once for each level.
 */
abstract class StreamingType<T extends @Nullable Object> implements JsonType<T> {
  /** Reads the value at the cursor and moves the cursor behind it. */
  abstract T read(JsonReader c);

  @Override
  public final T read(byte[] bytes, int from, int to) {
    return read(new JsonReader(bytes, from, to));
  }

  @Override
  public final T read(byte[] bytes, int from, int to, UnknownMembers unknown) {
    return read(new JsonReader(bytes, from, to).unknown(unknown));
  }
}
