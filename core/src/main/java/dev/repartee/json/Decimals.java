package dev.repartee.json;

import dev.repartee.internal.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Reads numbers exactly, within bounds on digits and exponent. Without bounds, arithmetic on {@code
 * 1e1000000000}, twelve bytes of input, would use up CPU time and memory.
 */
final class Decimals {
  private static final int DIGITS = 1_000;
  private static final int EXPONENT = 1_000;

  /**
   * The largest exponent of an integer: the maximum of a double, since other languages write larger
   * integers without an exponent. The bound is lower than {@link #EXPONENT} because a BigInteger
   * keeps all its digits in memory: {@code 1e1000} would need 80 times the bytes of its text.
   */
  private static final int INTEGER_EXPONENT = 308;

  /** The maximum number of digits in the shortest text of a double. */
  private static final int DOUBLE_DIGITS = 17;

  private static final String BOUNDS =
      " of at most " + DIGITS + " digits with an exponent from -" + EXPONENT + " to ";

  private Decimals() {}

  static BigDecimal readDecimal(JsonReader c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    if (isLong(b, from, to)) {
      return BigDecimal.valueOf(plain(b, from, to)); // the JDK caches small values
    }
    return literal(b, from, to).toDecimal();
  }

  static BigInteger readInteger(JsonReader c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    if (isLong(b, from, to)) {
      return BigInteger.valueOf(plain(b, from, to));
    }
    Literal literal = Scalars.isNumber(b[from]) ? new Literal(b, from, to) : null;
    if (literal == null || !literal.isInteger() || !isBounded(literal, INTEGER_EXPONENT)) {
      throw unfit("an integer", INTEGER_EXPONENT, b, from);
    }
    return literal.toInteger();
  }

  /**
   * Reads a number as {@code Long} or {@code Double} if the value is exact then, else as BigInteger
   * or BigDecimal.
   */
  static Number readNatural(JsonReader c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    if (isLong(b, from, to)) {
      return plain(b, from, to);
    }
    Literal literal = literal(b, from, to);
    if (isPlain(b, from, to)) {
      BigInteger integer = literal.toInteger();
      return integer.bitLength() < Long.SIZE ? (Number) integer.longValue() : integer;
    }
    if (!isDouble(literal, b, from, to)) {
      return literal.toDecimal();
    }
    c.at = from;
    return Scalars.readDouble(c); // keeps the sign of zero
  }

  /** Returns whether the nearest double, written as a decimal, is the same number. */
  private static boolean isDouble(Literal literal, byte[] b, int from, int to) {
    if (literal.exponent == 0 && literal.digits <= Scalars.EXACT_DIGITS) {
      return true; // a double keeps that many digits exactly
    }
    if (literal.significant > DOUBLE_DIGITS) {
      return false; // avoids slow arithmetic on up to a thousand digits
    }
    double near = Double.parseDouble(Scalars.literal(b, from, to));
    return !Double.isInfinite(near) && literal.isSame(BigDecimal.valueOf(near));
  }

  /** Returns whether the text is an integer without exponent or fraction that fits into a long. */
  private static boolean isLong(byte[] b, int from, int to) {
    return to - from <= Scalars.SAFE_DIGITS && Scalars.isNumber(b[from]) && isPlain(b, from, to);
  }

  private static boolean isPlain(byte[] b, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (!Scalars.isDigit(b[i])) {
        return false;
      }
    }
    return true;
  }

  private static long plain(byte[] b, int from, int to) {
    boolean negative = b[from] == '-';
    long value = 0;
    for (int i = negative ? from + 1 : from; i < to; i++) {
      value = value * 10 + (b[i] - '0');
    }
    return negative ? -value : value;
  }

  /**
   * Parses a number into its parts.
   *
   * @throws JsonException if the value is not a number, or is out of bounds
   */
  private static Literal literal(byte[] b, int from, int to) {
    Literal literal = Scalars.isNumber(b[from]) ? new Literal(b, from, to) : null;
    if (literal == null || !isBounded(literal)) {
      throw unfit("a number", EXPONENT, b, from);
    }
    return literal;
  }

  /** Returns whether a number is within the bounds on digits and exponent. */
  static boolean isBounded(Literal literal) {
    return isBounded(literal, EXPONENT);
  }

  private static boolean isBounded(Literal literal, int exponent) {
    return literal.digits <= DIGITS
        && literal.exponent >= -EXPONENT
        && literal.exponent <= exponent;
  }

  private static JsonException unfit(String what, int exponent, byte[] b, int from) {
    return Scalars.unfit(Scalars.isNumber(b[from]) ? what + BOUNDS + exponent : what, b, from);
  }
}
