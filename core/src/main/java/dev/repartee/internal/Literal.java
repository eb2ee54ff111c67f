package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The text of a JSON number, split into its significant digits and a power of ten. One pass without
 * arithmetic: {@code BigDecimal} strips a thousand zeros with a thousand divisions of long numbers.
 */
public final class Literal {
  /** The number of digits up to which every number fits a {@code long}. */
  private static final int SAFE_DIGITS = 18;

  /** The number of digits up to which every number fits an unsigned {@code long}. */
  private static final int LONG_DIGITS = 19;

  /** Exponents above this bound are not read further; no text has as many digits. */
  private static final int MOST = 100_000_000;

  /** The number of digits before the exponent. */
  public final int digits;

  /** The exponent as written; 0 if the text has none. */
  public final int exponent;

  /** The number of digits from the first to the last that is not 0; 0 if the number is zero. */
  public final int significant;

  /** The power of ten by which to multiply the integer that the significant digits form. */
  private final int power;

  private final byte[] bytes;
  private final int from;
  private final int to;
  private final boolean negative;

  /** The index of the first digit that is not 0. */
  private final int first;

  /** The index of the last digit that is not 0. */
  private final int last;

  /** The number of zeros after the last digit that is not 0. */
  private final int zeros;

  /** The number of digits after the decimal point. */
  private final int fraction;

  /** Splits {@code b[from, to)}, which must be a valid number. */
  public Literal(byte[] b, int from, int to) {
    int digits = 0;
    int significant = 0;
    int zeros = 0;
    int first = to;
    int last = from;
    int point = to;
    int i = b[from] == '-' ? from + 1 : from;
    for (; i < to && (b[i] | 0x20) != 'e'; i++) {
      if (b[i] == '.') {
        point = i;
        continue;
      }
      digits++;
      if (b[i] == '0') {
        zeros++;
      } else {
        significant += first == to ? 1 : zeros + 1;
        first = Math.min(first, i);
        last = i;
        zeros = 0;
      }
    }
    this.bytes = b;
    this.from = from;
    this.to = to;
    this.negative = b[from] == '-';
    this.digits = digits;
    this.exponent = i < to ? exponent(b, i + 1, to) : 0;
    this.significant = significant;
    this.zeros = zeros;
    this.fraction = Math.max(0, i - 1 - point);
    this.power = significant == 0 ? 0 : exponent - fraction + zeros;
    this.first = first;
    this.last = last;
  }

  private static int exponent(byte[] b, int from, int to) {
    int value = 0;
    for (int i = b[from] >= '0' && b[from] <= '9' ? from : from + 1; i < to && value < MOST; i++) {
      value = value * 10 + (b[i] - '0');
    }
    return b[from] == '-' ? -value : value;
  }

  public boolean isInteger() {
    return power >= 0;
  }

  /** Returns whether this is an integer that fits a {@code long}. */
  public boolean isLong() {
    if (!isInteger() || significant + power > LONG_DIGITS) {
      return false;
    }
    long value = toLong();
    return negative ? value <= 0 : value >= 0;
  }

  /** Returns the value; {@link #isLong} must be true. */
  public long toLong() {
    return signed(power);
  }

  /**
   * Returns the value, which must be an integer. The caller has bounded its digits and its power.
   */
  public BigInteger toInteger() {
    if (significant + power <= SAFE_DIGITS) {
      return BigInteger.valueOf(toLong());
    }
    StringBuilder text = new StringBuilder(significant + 1).append(negative ? "-" : "");
    for (int i = first; i <= last; i++) {
      if (bytes[i] != '.') {
        text.append((char) bytes[i]);
      }
    }
    BigInteger value = new BigInteger(text.toString());
    return power == 0 ? value : value.multiply(BigInteger.TEN.pow(power));
  }

  /**
   * Returns the value with all its digits, trailing zeros included. The caller has bounded them.
   */
  public BigDecimal toDecimal() {
    return digits <= SAFE_DIGITS
        ? BigDecimal.valueOf(significant == 0 ? 0 : signed(zeros), fraction - exponent)
        : new BigDecimal(new String(bytes, from, to - from, ISO_8859_1));
  }

  /** Returns whether both numbers are equal. The significant digits must fit a {@code long}. */
  public boolean isSame(BigDecimal other) {
    return BigDecimal.valueOf(signed(0), -power).compareTo(other) == 0;
  }

  /** Returns the significant digits, followed by this many zeros, as an integer with the sign. */
  private long signed(int zeros) {
    long value = 0;
    for (int i = first; i <= last; i++) {
      if (bytes[i] != '.') {
        value = value * 10 + (bytes[i] - '0');
      }
    }
    for (int i = 0; i < zeros; i++) {
      value *= 10;
    }
    return negative ? -value : value;
  }
}
