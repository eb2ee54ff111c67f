package dev.repartee.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.internal.Literal;

/**
 * Reads primitives at a cursor without boxing them, and moves the cursor past the value.
 *
 * <p>An integer may be written in any form that has an integer value: {@code 100}, {@code 1e2},
 * {@code 100.0}.
 */
final class Scalars {
  /** The number of decimal digits that always fit a {@code long}. */
  static final int SAFE_DIGITS = 18;

  /**
   * The number of decimal digits up to which mantissa and power of ten are both exact doubles, so
   * that one division rounds correctly.
   */
  static final int EXACT_DIGITS = 15;

  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private Scalars() {}

  static boolean readBoolean(JsonReader c) {
    switch (c.bytes[c.at]) {
      case 't' -> {
        c.at += 4;
        return true;
      }
      case 'f' -> {
        c.at += 5;
        return false;
      }
      default -> throw JsonException.expected("true or false", c.bytes, c.at);
    }
  }

  static byte readByte(JsonReader c) {
    return (byte) integer(c, Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  static short readShort(JsonReader c) {
    return (short) integer(c, Short.MIN_VALUE, Short.MAX_VALUE);
  }

  static int readInt(JsonReader c) {
    return readInt(c, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  static int readInt(JsonReader c, int min, int max) {
    return (int) integer(c, min, max);
  }

  static long readLong(JsonReader c) {
    return integer(c, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static long integer(JsonReader c, long min, long max) {
    byte[] b = c.bytes;
    int from = c.at;
    boolean negative = b[from] == '-';
    int i = negative ? from + 1 : from;
    int most = Math.min(c.to, i + SAFE_DIGITS);
    long value = 0;
    while (i < most && isDigit(b[i])) {
      value = value * 10 + (b[i++] - '0');
    }
    if (!c.endsAt(i)) {
      return exact(b, from, c.skip(), min, max);
    }
    c.at = i;
    value = negative ? -value : value;
    if (value < min || value > max) {
      throw unfit(range(min, max), b, from);
    }
    return value;
  }

  /** Reads an integer that has a fraction, an exponent or many digits. */
  private static long exact(byte[] b, int from, int to, long min, long max) {
    if (isNumber(b[from])) {
      Literal literal = new Literal(b, from, to);
      boolean isLong = Decimals.isBounded(literal) && literal.isLong();
      long value = isLong ? literal.toLong() : 0;
      if (isLong && value >= min && value <= max) {
        return value;
      }
    }
    throw unfit(range(min, max), b, from);
  }

  private static String range(long min, long max) {
    return "an integer from " + min + " to " + max;
  }

  static double readDouble(JsonReader c) {
    byte[] b = c.bytes;
    int from = c.at;
    boolean negative = b[from] == '-';
    int first = negative ? from + 1 : from;
    int most = Math.min(c.to, first + EXACT_DIGITS + 1);
    int point = most;
    long mantissa = 0;
    int i = first;
    // The fast path accepts at most EXACT_DIGITS digits, perhaps with a decimal point. The text is
    // valid JSON and contains at most one point. An exponent or more digits fail the check after
    // the loop, and the JDK parses the number.
    for (; i < most; i++) {
      if (isDigit(b[i])) {
        mantissa = mantissa * 10 + (b[i] - '0');
      } else if (b[i] == '.') {
        point = i;
      } else {
        break;
      }
    }
    int places = Math.max(0, i - 1 - point);
    if (!c.endsAt(i) || i - first - (point < i ? 1 : 0) > EXACT_DIGITS) {
      return nearest(b, from, c.skip());
    }
    c.at = i;
    double value = mantissa / POWERS[places];
    return negative ? -value : value;
  }

  private static double nearest(byte[] b, int from, int to) {
    requireNumber("a number", b, from);
    double value = Double.parseDouble(literal(b, from, to));
    if (Double.isInfinite(value)) {
      throw unfit("a number that a double can hold", b, from);
    }
    return value;
  }

  static float readFloat(JsonReader c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    requireNumber("a number", b, from);
    float value = Float.parseFloat(literal(b, from, to)); // not by way of double: it rounds twice
    if (Float.isInfinite(value)) {
      throw unfit("a number that a float can hold", b, from);
    }
    return value;
  }

  static char readChar(JsonReader c) {
    int from = c.at;
    String text = c.bytes[from] == '"' ? c.readString() : "";
    if (text.length() != 1) {
      throw JsonException.expected("a string of one character", c.bytes, from);
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

  /**
   * Returns the exception for a value of another JSON type, or for a number outside the expected
   * range.
   */
  static JsonException unfit(String expected, byte[] b, int from) {
    return isNumber(b[from])
        ? JsonException.unfit("expected " + expected + ", got another number")
        : JsonException.expected(expected, b, from);
  }
}
