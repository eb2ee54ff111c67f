package dev.repartee.mcp.bridge;

import java.util.HashSet;
import java.util.Set;

/**
 * Creates unique names of letters, digits and {@code _-.} from arbitrary names. Not thread-safe.
 */
final class UniqueNames {
  private final int longest;
  private final Set<String> taken = new HashSet<>();

  UniqueNames(int longest) {
    this.longest = longest;
  }

  String of(String wanted) {
    String base = wanted.isEmpty() ? "_" : wanted.replaceAll("[^A-Za-z0-9_.-]", "_");
    String name = cut(base, "");
    for (int n = 2; !taken.add(name); n++) {
      name = cut(base, "_" + n);
    }
    return name;
  }

  private String cut(String base, String end) {
    return base.substring(0, Math.min(base.length(), longest - end.length())) + end;
  }
}
