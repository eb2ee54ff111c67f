package dev.repartee;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What was read of records that are not complete yet, primitives without a box. A stack, since records
 * nest: the slots of the innermost one are at hand. For one reading.
 */
final class Slots {
  private static final Object ABSENT = new Object();

  private @Nullable Object[] objects = new @Nullable Object[8];
  private long[] bits = new long[8];
  private int from;
  private int to;

  /** Makes room for the components of one more record, all absent; answers what to leave with. */
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

  /** Goes back to the record around. */
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

  // What a record's constructor finds by name.

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
