package dev.repartee;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the params of a method that takes nothing but {@code int} and {@code long} in the pass that
 * validates them. It knows the plain form only, an array of as many integers within their bounds, and
 * leaves all else to the {@link Scanner} and {@link Arguments}: what is wrong is theirs to say.
 */
final class IntegerParams {
  /** Methods with more parameters are read in the general way. */
  static final int MAX = 8;

  /** Digits that fit a {@code long} whatever they are. */
  private static final int SAFE_DIGITS = 18;

  private final boolean[] wide;

  private IntegerParams(boolean[] wide) {
    this.wide = wide;
  }

  /** The reader for these parameters, or null if they are others. */
  static @Nullable IntegerParams of(List<Signature.Argument> arguments) {
    boolean[] wide = new boolean[arguments.size()];
    for (int i = 0; i < wide.length; i++) {
      Class<?> type = arguments.get(i).raw();
      if (type != int.class && type != long.class) {
        return null;
      }
      wide[i] = type == long.class;
    }
    return wide.length == 0 || wide.length > MAX ? null : new IntegerParams(wide);
  }

  /**
   * Reads the params that start at {@code from}.
   *
   * @return where they end; 0 if they have to be read in the general way
   */
  int read(byte[] b, int from, int to, long[] values) {
    int i = from;
    for (int n = 0; n < wide.length; n++) {
      if (i >= to || b[i] != (n == 0 ? '[' : ',')) {
        return 0;
      }
      i = Scanner.space(b, i + 1, to);
      boolean negative = i < to && b[i] == '-';
      i += negative ? 1 : 0;
      int first = i;
      long value = 0;
      while (i < to && Scalars.isDigit(b[i])) {
        value = value * 10 + (b[i++] - '0');
      }
      int digits = i - first;
      value = negative ? -value : value;
      if (digits == 0
          || digits > SAFE_DIGITS
          || digits > 1 && b[first] == '0'
          || !wide[n] && (int) value != value) {
        return 0;
      }
      values[n] = value;
      i = Scanner.space(b, i, to);
    }
    return i < to && b[i] == ']' ? i + 1 : 0;
  }
}
