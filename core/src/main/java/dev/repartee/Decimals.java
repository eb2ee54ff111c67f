package dev.repartee;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reads numbers exactly, within bounds: arithmetic on {@code 1e1000000000}, eleven bytes on the wire,
 * would eat the machine.
 */
final class Decimals {
  private static final int DIGITS = 1_000;
  private static final int EXPONENT = 1_000;
  private static final String BOUNDS =
      " of at most " + DIGITS + " digits with an exponent from -" + EXPONENT + " to " + EXPONENT;

  private Decimals() {}

  static BigDecimal readDecimal(Cursor c) {
    int from = c.at;
    return decimal(c.bytes, from, c.skip());
  }

  private static BigDecimal decimal(byte[] b, int from, int to) {
    BigDecimal value = read(b, from, to);
    if (value == null) {
      throw unfit("a number", b, from);
    }
    return value;
  }

  static BigInteger readInteger(Cursor c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    BigDecimal value = read(b, from, to);
    if (value == null || value.stripTrailingZeros().scale() > 0) {
      throw unfit("an integer", b, from);
    }
    return value.toBigInteger();
  }

  private static JsonException unfit(String what, byte[] b, int from) {
    return Scalars.unfit(Scalars.isNumber(b[from]) ? what + BOUNDS : what, b, from);
  }

  /** A number as natural Java: a {@code Long} or {@code Double} where that loses nothing. */
  static Number readNatural(Cursor c) {
    byte[] b = c.bytes;
    int from = c.at;
    int to = c.skip();
    BigDecimal exact = decimal(b, from, to);
    if (isPlain(b, from, to)) {
      BigInteger integer = exact.toBigInteger();
      return integer.bitLength() < Long.SIZE ? (Number) integer.longValue() : integer;
    }
    double near = exact.doubleValue();
    boolean same = !Double.isInfinite(near) && BigDecimal.valueOf(near).compareTo(exact) == 0;
    if (!same) {
      return exact;
    }
    c.at = from;
    return Scalars.readDouble(c); // which keeps the sign of zero
  }

  private static boolean isPlain(byte[] b, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (!Scalars.isDigit(b[i])) {
        return false;
      }
    }
    return true;
  }

  /** The number, or null if the value is none or is out of bounds. */
  static @Nullable BigDecimal read(byte[] b, int from, int to) {
    if (!Scalars.isNumber(b[from])) {
      return null;
    }
    int i = from;
    int digits = 0;
    while (i < to && (b[i] | 0x20) != 'e') {
      digits += Scalars.isDigit(b[i++]) ? 1 : 0;
    }
    return digits > DIGITS || i < to && !isModest(b, i + 1, to)
        ? null
        : new BigDecimal(Scalars.literal(b, from, to));
  }

  /** Whether an exponent is within bounds. */
  private static boolean isModest(byte[] b, int from, int to) {
    int exponent = 0;
    for (int i = Scalars.isDigit(b[from]) ? from : from + 1; i < to; i++) {
      exponent = exponent * 10 + (b[i] - '0');
      if (exponent > EXPONENT) {
        return false;
      }
    }
    return true;
  }
}
