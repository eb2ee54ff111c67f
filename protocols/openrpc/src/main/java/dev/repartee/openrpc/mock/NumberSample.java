package dev.repartee.openrpc.mock;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Samples of numbers: multiples of a step between two limits. */
final class NumberSample {
  private static final BigDecimal HALF = new BigDecimal("0.5");

  /** The number of steps from which a sample is chosen. */
  private static final int CHOICE = 1_000;

  private final Conjunction schema;
  private final Random random;

  /** A limit of the values. */
  private record Limit(BigDecimal value, boolean isExclusive) {}

  NumberSample(Conjunction schema, Random random) {
    this.schema = schema;
    this.random = random;
  }

  /**
   * Returns a number that fits the schema.
   *
   * @param isInteger whether it must be an integer
   * @param isFraction whether it should rather not be one. Many documents have the type number for
   *     integers, and their clients would not read others
   * @throws NoValueException if none is found
   */
  BigDecimal number(boolean isInteger, boolean isFraction) {
    BigDecimal number = any(isInteger, isFraction);
    return number.scale() < 0 ? number.setScale(0) : number; // without an exponent
  }

  private BigDecimal any(boolean isInteger, boolean isFraction) {
    Limit low = limit("minimum", "exclusiveMinimum", true);
    Limit high = limit("maximum", "exclusiveMaximum", false);
    if (low != null && high != null) {
      int order = low.value.compareTo(high.value);
      if (order > 0 || order == 0 && (low.isExclusive || high.isExclusive)) {
        throw NoValueException.certain(
            schema.pointer(), "no number is between " + low.value + " and " + high.value);
      }
    }
    BigDecimal multiple = schema.number("multipleOf", true);
    if (multiple != null && multiple.signum() > 0) {
      return required(ofStep(step(multiple, isInteger), low, high), low, high);
    }
    BigDecimal whole = ofStep(BigDecimal.ONE, low, high);
    if (whole == null || isInteger) {
      return required(isInteger ? whole : limited(low, high), low, high);
    }
    BigDecimal half = whole.add(HALF);
    return isFraction && (high == null || half.compareTo(high.value) < 0) ? half : whole;
  }

  /** Returns a step of which all multiples are integers, if they have to be. */
  private static BigDecimal step(BigDecimal multiple, boolean isInteger) {
    return isInteger && multiple.stripTrailingZeros().scale() > 0
        ? multiple.movePointRight(multiple.scale())
        : multiple;
  }

  private BigDecimal required(
      @Nullable BigDecimal number, @Nullable Limit low, @Nullable Limit high) {
    if (number == null) {
      String limits =
          (low == null ? "" : " from " + low.value) + (high == null ? "" : " to " + high.value);
      // Multiples of a fraction are only tried in whole steps.
      throw schema.has("multipleOf")
          ? NoValueException.unknown(schema.pointer(), "no multiple was found" + limits)
          : NoValueException.certain(schema.pointer(), "there is no integer" + limits);
    }
    return number;
  }

  /** Returns the number in the middle of two limits without an integer between them. */
  private static @Nullable BigDecimal limited(@Nullable Limit low, @Nullable Limit high) {
    return low == null || high == null
        ? null
        : low.value.add(high.value).multiply(HALF); // the limit itself if both are equal
  }

  /** Returns a multiple of a step between the limits; null if there is none. */
  private @Nullable BigDecimal ofStep(BigDecimal step, @Nullable Limit low, @Nullable Limit high) {
    BigDecimal first = low == null ? null : steps(low, step, RoundingMode.CEILING, 1);
    BigDecimal last = high == null ? null : steps(high, step, RoundingMode.FLOOR, -1);
    BigDecimal choice = BigDecimal.valueOf(CHOICE);
    if (last != null && last.signum() < 0) {
      first = first == null ? last.subtract(choice) : first;
    } else if (first == null || first.signum() < 0) {
      first = BigDecimal.ZERO; // the limits of an int say nothing about usual values
    }
    if (last == null) {
      last = first.add(choice);
    }
    if (first.compareTo(last) > 0) {
      return null;
    }
    int width = last.subtract(first).min(choice).intValue();
    return first.add(BigDecimal.valueOf(random.nextInt(width + 1))).multiply(step);
  }

  /** Returns the number of steps of the multiple that is next to a limit. */
  private static BigDecimal steps(Limit limit, BigDecimal step, RoundingMode mode, int inwards) {
    BigDecimal steps = limit.value.divide(step, 0, mode);
    boolean isOn = limit.isExclusive && steps.multiply(step).compareTo(limit.value) == 0;
    return isOn ? steps.add(BigDecimal.valueOf(inwards)) : steps;
  }

  private @Nullable Limit limit(String inclusive, String exclusive, boolean isLow) {
    BigDecimal closed = schema.number(inclusive, isLow);
    BigDecimal open = schema.number(exclusive, isLow);
    if (closed == null || open == null) {
      return open != null
          ? new Limit(open, true)
          : closed == null ? null : new Limit(closed, false);
    }
    int order = open.compareTo(closed);
    return (isLow ? order >= 0 : order <= 0) ? new Limit(open, true) : new Limit(closed, false);
  }
}
