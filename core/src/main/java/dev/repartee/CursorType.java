package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A type that finds its own end: however deep values nest, each byte is passed once, where a reader that
 * needs to know its end first would pass it once a level.
 */
abstract class CursorType<T extends @Nullable Object> implements JsonType<T> {
  /** Reads the value at the cursor and leaves the cursor behind it. */
  abstract T read(Cursor c);

  @Override
  public final T read(byte[] bytes, int from, int to) {
    return read(new Cursor(bytes, from, to));
  }
}
