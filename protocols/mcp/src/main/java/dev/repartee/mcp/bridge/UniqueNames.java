package dev.repartee.mcp.bridge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Creates unique names of letters, digits and {@code _-.} from arbitrary names. Not thread-safe.
 */
final class UniqueNames {
  private final int longest;
  private final Set<String> taken = new HashSet<>();

  /** The last number that made a name unique, by the first half of the name, which is never cut. */
  private final Map<String, Integer> numbers = new HashMap<>();

  UniqueNames(int longest) {
    this.longest = longest;
  }

  String of(String wanted) {
    String base = wanted.isEmpty() ? "_" : wanted.replaceAll("[^A-Za-z0-9_.-]", "_");
    String name = cut(base, "");
    while (!taken.add(name)) {
      String half = base.substring(0, Math.min(base.length(), longest / 2));
      name = cut(base, "_" + numbers.merge(half, 2, (number, two) -> number + 1));
    }
    return name;
  }

  private String cut(String base, String end) {
    return base.substring(0, Math.min(base.length(), longest - end.length())) + end;
  }
}
