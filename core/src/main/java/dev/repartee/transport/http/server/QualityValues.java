package dev.repartee.transport.http.server;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The preferences of a client: an {@code Accept} or {@code Accept-Encoding} field with its weights
 * (RFC 9110 section 12.4.2).
 *
 * @param each the weight, from 0 to 1, of each entry; entries are in lower case and without
 *     parameters
 */
record QualityValues(Map<String, Double> each) {
  private static final QualityValues NONE = new QualityValues(Map.of());

  static QualityValues of(RequestHead request, String name) {
    if (request.header(name) == null) {
      return NONE;
    }
    Map<String, Double> each = new HashMap<>();
    for (String field : request.headers(name)) {
      for (String entry : field.toLowerCase(Locale.ROOT).split(",")) {
        String[] parts = entry.split(";");
        if (parts.length > 0 && !parts[0].isBlank()) {
          each.merge(parts[0].trim(), weight(parts), Math::max);
        }
      }
    }
    return new QualityValues(each);
  }

  private static double weight(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException e) {
          return 0; // a malformed weight counts as "not acceptable"
        }
      }
    }
    return 1;
  }

  /** Returns the weight of the first of these entries that is listed; 0 if none is. */
  double of(String... entries) {
    for (String entry : entries) {
      Double weight = each.get(entry);
      if (weight != null) {
        return weight;
      }
    }
    return 0;
  }
}
