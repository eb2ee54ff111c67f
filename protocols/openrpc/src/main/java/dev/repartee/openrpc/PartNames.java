package dev.repartee.openrpc;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The names of the parts of one object. They need no escape in a reference. Not thread-safe. */
final class PartNames {
  private final Set<String> used;

  /** The last number that made a name unique: a search from the start would be slow. */
  private final Map<String, Integer> numbers = new HashMap<>();

  /** @param used the names that the object has */
  PartNames(Set<String> used) {
    this.used = new HashSet<>(used);
  }

  /** Adds a name. A name that is used gets the suffix 2, 3 and so on. */
  String unique(String wanted) {
    String plain = wanted.replaceAll("[^A-Za-z0-9._-]", "_");
    String name = plain;
    while (!used.add(name)) {
      name = plain + numbers.merge(plain, 2, (number, two) -> number + 1);
    }
    return name;
  }
}
