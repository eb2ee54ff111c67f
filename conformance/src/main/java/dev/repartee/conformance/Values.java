package dev.repartee.conformance;

import dev.repartee.json.Json;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Compares JSON values: numbers by value, members in any order. */
final class Values {
  private Values() {}

  static boolean same(Json a, Json b) {
    if (a.kind() != b.kind()) {
      return false;
    }
    return switch (a.kind()) {
      case OBJECT -> same(a.members(), b.members());
      case ARRAY -> same(a.elements(), b.elements());
      case STRING -> a.as(String.class).equals(b.as(String.class));
      case NUMBER -> a.equals(b) || number(a).compareTo(number(b)) == 0;
      default -> a.equals(b);
    };
  }

  private static BigDecimal number(Json json) {
    return new BigDecimal(json.toString());
  }

  private static boolean same(Map<String, Json> a, Map<String, Json> b) {
    return a.keySet().equals(b.keySet())
        && a.entrySet().stream().allMatch(e -> {
          Json other = b.get(e.getKey());
          return other != null && same(e.getValue(), other);
        });
  }

  private static boolean same(List<Json> a, List<Json> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!same(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }
}
