package dev.repartee.json;

import dev.repartee.internal.Text;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first difference between two JSON values, which are compared by value. The order of members
 * and white space do not matter. Strings are compared without their escapes, and numbers by their
 * value: {@code 1}, {@code 1.0} and {@code 10e-1} are equal. The order of elements matters. If a
 * name occurs twice in an object, its last value counts. Numbers whose exponent exceeds the range
 * of {@link BigDecimal} are compared by their text.
 *
 * @param path the place of the difference, in the notation of JSONPath (RFC 9535): {@code
 *     $.params[0].name}
 * @param expected the expected value at this place; null if none is expected there
 * @param actual the other value; null if there is none
 */
public record JsonDifference(
    String path, @Nullable Json expected, @Nullable Json actual) {
  /** The length in characters from which {@link #toString} abridges a value. */
  private static final int LONG = 300;

  /** Returns the first difference, in the order of the expected value; null if there is none. */
  public static @Nullable JsonDifference between(Json expected, Json actual) {
    JsonDifference found = find(expected, actual);
    return found == null ? null : found.in("$");
  }

  private static @Nullable JsonDifference find(Json expected, Json actual) {
    if (expected.equals(actual)) {
      return null;
    }
    boolean same = expected.kind() == actual.kind();
    return switch (same ? expected.kind() : Json.Kind.NULL) {
      case OBJECT -> members(expected.members(), actual.members());
      case ARRAY -> elements(expected.elements(), actual.elements());
      case STRING -> here(expected, actual, text(expected).equals(text(actual)));
      case NUMBER -> here(expected, actual, isSameNumber(expected, actual));
      case BOOLEAN, NULL -> here(expected, actual, false);
    };
  }

  private static @Nullable JsonDifference here(
      @Nullable Json expected, @Nullable Json actual, boolean same) {
    return same ? null : new JsonDifference("", expected, actual);
  }

  private static String text(Json string) {
    return string.as(String.class);
  }

  private static boolean isSameNumber(Json one, Json other) {
    try {
      return new BigDecimal(one.toString()).compareTo(new BigDecimal(other.toString())) == 0;
    } catch (NumberFormatException e) {
      return false; // the exponent is out of range, and the texts differ
    }
  }

  private static @Nullable JsonDifference members(
      Map<String, Json> expected, Map<String, Json> actual) {
    for (Map.Entry<String, Json> member : expected.entrySet()) {
      JsonDifference found = part(member.getValue(), actual.get(member.getKey()));
      if (found != null) {
        return found.in(segment(member.getKey()));
      }
    }
    for (Map.Entry<String, Json> member : actual.entrySet()) {
      if (!expected.containsKey(member.getKey())) {
        return new JsonDifference(segment(member.getKey()), null, member.getValue());
      }
    }
    return null;
  }

  private static @Nullable JsonDifference elements(List<Json> expected, List<Json> actual) {
    Iterator<Json> others = actual.iterator();
    int index = 0;
    for (Json element : expected) {
      JsonDifference found = part(element, others.hasNext() ? others.next() : null);
      if (found != null) {
        return found.in("[" + index + "]");
      }
      index++;
    }
    return others.hasNext() ? new JsonDifference("[" + index + "]", null, others.next()) : null;
  }

  private static @Nullable JsonDifference part(Json expected, @Nullable Json actual) {
    return actual == null ? here(expected, null, false) : find(expected, actual);
  }

  private static String segment(String name) {
    return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? "." + name : "[" + Json.of(name) + "]";
  }

  private JsonDifference in(String part) {
    return new JsonDifference(part + path, expected, actual);
  }

  /** Returns a sentence such as {@code at $.result: expected 19, got 20}. */
  @Override
  public String toString() {
    return "at " + path + ": expected " + shown(expected) + ", got " + shown(actual);
  }

  private static String shown(@Nullable Json value) {
    return Text.shortened(value == null ? "nothing" : value.toString(), LONG);
  }
}
