package dev.repartee.a2a.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes JSON in its canonical form (RFC 8785). */
final class CanonicalJson {
  private CanonicalJson() {}

  /**
   * Returns the canonical text.
   *
   * @throws IllegalArgumentException if a number is too large for a double
   */
  static byte[] of(Json value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString().getBytes(UTF_8);
  }

  private static void write(Json value, StringBuilder out) {
    switch (value.kind()) {
      case OBJECT -> object(value, out);
      case ARRAY -> {
        char before = '[';
        for (Json element : value.elements()) {
          write(element, out.append(before));
          before = ',';
        }
        out.append(before == '[' ? "[]" : "]");
      }
      case STRING -> string(value.as(String.class), out);
      case NUMBER -> out.append(number(value.as(BigDecimal.class).doubleValue()));
      default -> out.append(value);
    }
  }

  /**
   * Writes an object. Members are sorted by the UTF-16 code units of their names (section 3.2.3).
   */
  private static void object(Json value, StringBuilder out) {
    char before = '{';
    for (Map.Entry<String, Json> member : new TreeMap<>(value.members()).entrySet()) {
      string(member.getKey(), out.append(before));
      write(member.getValue(), out.append(':'));
      before = ',';
    }
    out.append(before == '{' ? "{}" : "}");
  }

  private static void string(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\t' -> out.append("\\t");
        case '\n' -> out.append("\\n");
        case '\f' -> out.append("\\f");
        case '\r' -> out.append("\\r");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /** Returns a number as ECMAScript writes it (Number::toString). */
  static String number(double value) {
    if (Double.isInfinite(value) || Double.isNaN(value)) {
      throw new IllegalArgumentException("a number is too large for the canonical form of JSON");
    }
    if (value == 0) {
      return "0";
    }
    BigDecimal shortest = shortest(Math.abs(value));
    String digits = shortest.unscaledValue().toString();
    int point = digits.length() - shortest.scale(); // the decimal point behind this many digits
    return (value < 0 ? "-" : "") + placed(digits, point);
  }

  /**
   * Returns the shortest decimal that is read as this double; of several, the nearest. Before JDK
   * 19, Double.toString() may return one digit too many.
   */
  private static BigDecimal shortest(double value) {
    BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    BigDecimal exact = new BigDecimal(value);
    for (int digits = shortest.precision(); digits > 0; digits--) {
      BigDecimal nearest = nearest(exact, value, digits);
      if (nearest == null) {
        break;
      }
      shortest = nearest;
    }
    return shortest.stripTrailingZeros();
  }

  /** Returns the nearest decimal with that many digits that is read as the value, or null. */
  private static @Nullable BigDecimal nearest(BigDecimal exact, double value, int digits) {
    // Below a power of two the doubles are closer; the nearest decimal may be read as another
    // double.
    for (RoundingMode mode : List.of(RoundingMode.HALF_EVEN, RoundingMode.DOWN, RoundingMode.UP)) {
      BigDecimal rounded = exact.round(new MathContext(digits, mode));
      if (rounded.doubleValue() == value) {
        return rounded;
      }
    }
    return null;
  }

  private static String placed(String digits, int point) {
    int count = digits.length();
    if (point >= count && point <= 21) {
      return digits + "0".repeat(point - count);
    } else if (point > 0 && point <= 21) {
      return digits.substring(0, point) + "." + digits.substring(point);
    } else if (point > -6 && point <= 0) {
      return "0." + "0".repeat(-point) + digits;
    }
    String exponent = (point > 0 ? "+" : "-") + Math.abs(point - 1);
    return (count == 1 ? digits : digits.charAt(0) + "." + digits.substring(1)) + "e" + exponent;
  }
}
