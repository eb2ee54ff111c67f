package dev.repartee.json;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The component values of records that are being read. Primitives are stored as bits in a {@code
 * long}, without boxing.
 *
 * <p>Records nest: this is a stack of frames, one for each record that is not constructed yet.
 * Indexes count from the start of the innermost frame. Used by one reader at a time.
 */
final class ComponentBuffer {
  private static final Object ABSENT = new Object();

  private @Nullable Object[] objects = new @Nullable Object[8];
  private long[] bits = new long[8];
  private int from;
  private int to;

  /**
   * Pushes a frame for the components of one more record, all absent.
   *
   * @return the start of the enclosing frame, to be passed to {@link #leave}
   */
  int enter(int count) {
    int outer = from;
    from = to;
    to += count;
    if (to > bits.length) {
      objects = Arrays.copyOf(objects, 2 * to);
      bits = Arrays.copyOf(bits, 2 * to);
    }
    Arrays.fill(objects, from, to, ABSENT);
    return outer;
  }

  /** Pops the innermost frame and returns to the enclosing one, which starts at {@code outer}. */
  void leave(int outer) {
    to = from;
    from = outer;
  }

  boolean isAbsent(int i) {
    return objects[from + i] == ABSENT;
  }

  void put(int i, @Nullable Object value) {
    objects[from + i] = value;
  }

  void put(int i, long value) {
    objects[from + i] = null;
    bits[from + i] = value;
  }

  void put(int i, double value) {
    put(i, Double.doubleToRawLongBits(value));
  }

  void put(int i, boolean value) {
    put(i, value ? 1L : 0);
  }

  // Component finds these methods by name (Kind.getter), to pass the values to the constructor.

  @Nullable Object objectAt(int i) {
    return objects[from + i];
  }

  int intAt(int i) {
    return (int) bits[from + i];
  }

  long longAt(int i) {
    return bits[from + i];
  }

  double doubleAt(int i) {
    return Double.longBitsToDouble(bits[from + i]);
  }

  boolean booleanAt(int i) {
    return bits[from + i] != 0;
  }
}
