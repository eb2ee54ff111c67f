package dev.repartee;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;

/**
 * Reads primitives from the valid value {@code b[from, to)} without boxing them.
 *
 * <p>An integer may be written as any number that is one: {@code 100}, {@code 1e2}, {@code 100.0}.
 */
final class Scalars {
  /** Digits that fit a {@code long} whatever they are. */
  private static final int SAFE_DIGITS = 18;

  /** Up to here mantissa and power of ten are exact doubles, and one operation rounds correctly. */
  private static final int EXACT_DIGITS = 15;

  private static final int LONGEST_FAST_DOUBLE = 24;
  private static final int LONGEST_LITERAL = 40;
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private Scalars() {}

  static boolean readBoolean(byte[] b, int from, int to) {
    return switch (b[from]) {
      case 't' -> true;
      case 'f' -> false;
      default -> throw JsonException.expected("true or false", b, from);
    };
  }

  static byte readByte(byte[] b, int from, int to) {
    return (byte) integer(b, from, to, Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  static short readShort(byte[] b, int from, int to) {
    return (short) integer(b, from, to, Short.MIN_VALUE, Short.MAX_VALUE);
  }

  static int readInt(byte[] b, int from, int to) {
    return (int) integer(b, from, to, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  static long readLong(byte[] b, int from, int to) {
    return integer(b, from, to, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static long integer(byte[] b, int from, int to, long min, long max) {
    boolean negative = b[from] == '-';
    int i = negative ? from + 1 : from;
    if (to - i <= SAFE_DIGITS) {
      long value = 0;
      while (i < to && isDigit(b[i])) {
        value = value * 10 + (b[i++] - '0');
      }
      if (i == to) {
        return within(negative ? -value : value, b, from, to, min, max);
      }
    }
    BigDecimal exact = Decimals.read(b, from, to);
    if (exact == null
        || exact.stripTrailingZeros().scale() > 0
        || exact.compareTo(BigDecimal.valueOf(min)) < 0
        || exact.compareTo(BigDecimal.valueOf(max)) > 0) {
      throw unfit(range(min, max), b, from, to);
    }
    return exact.longValue();
  }

  private static long within(long value, byte[] b, int from, int to, long min, long max) {
    if (value < min || value > max) {
      throw unfit(range(min, max), b, from, to);
    }
    return value;
  }

  private static String range(long min, long max) {
    return "an integer from " + min + " to " + max;
  }

  static double readDouble(byte[] b, int from, int to) {
    requireNumber("a number", b, from);
    double fast = to - from <= LONGEST_FAST_DOUBLE ? fastDouble(b, from, to) : Double.NaN;
    if (!Double.isNaN(fast)) {
      return fast;
    }
    double value = Double.parseDouble(literal(b, from, to));
    if (Double.isInfinite(value)) {
      throw unfit("a number that a double can hold", b, from, to);
    }
    return value;
  }

  /** The double nearest to a short number, or NaN where it takes more than one operation. */
  private static double fastDouble(byte[] b, int from, int to) {
    long mantissa = 0;
    int exponent = 0;
    int digits = 0;
    boolean fraction = false;
    for (int i = b[from] == '-' ? from + 1 : from; i < to; i++) {
      if (b[i] == '.') {
        fraction = true;
      } else if (!isDigit(b[i])) {
        return Double.NaN;
      } else {
        mantissa = mantissa * 10 + (b[i] - '0');
        digits += mantissa == 0 ? 0 : 1;
        exponent -= fraction ? 1 : 0;
      }
    }
    if (digits > EXACT_DIGITS || -exponent >= POWERS.length) {
      return Double.NaN;
    }
    double value = mantissa / POWERS[-exponent];
    return b[from] == '-' ? -value : value;
  }

  static float readFloat(byte[] b, int from, int to) {
    requireNumber("a number", b, from);
    float value = Float.parseFloat(literal(b, from, to)); // not by way of double: it rounds twice
    if (Float.isInfinite(value)) {
      throw unfit("a number that a float can hold", b, from, to);
    }
    return value;
  }

  static char readChar(byte[] b, int from, int to) {
    String text = b[from] == '"' ? Text.string(b, from, to) : "";
    if (text.length() != 1) {
      throw JsonException.expected("a string of one character", b, from);
    }
    return text.charAt(0);
  }

  static boolean isNumber(byte first) {
    return isDigit(first) || first == '-';
  }

  static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  static void requireNumber(String expected, byte[] b, int from) {
    if (!isNumber(b[from])) {
      throw JsonException.expected(expected, b, from);
    }
  }

  static String literal(byte[] b, int from, int to) {
    return new String(b, from, to - from, ISO_8859_1);
  }

  /** A value of another kind, or a number that is not the expected one and is shown where short. */
  static JsonException unfit(String expected, byte[] b, int from, int to) {
    return isNumber(b[from]) && to - from <= LONGEST_LITERAL
        ? JsonException.unfit("expected " + expected + ", got " + literal(b, from, to))
        : JsonException.expected(expected, b, from);
  }
}
