package dev.repartee.json;

import dev.repartee.Param;

/**
 * Derives the names of JSON members from Java names: from the names of record components, and of
 * the parameters of methods whose params are passed by name. A name that {@link Param} gives is
 * used as it is. Implementations must return the same name for the same input, and different names
 * for different inputs; they must be thread-safe. See {@link JsonTypes#naming}.
 */
@FunctionalInterface
public interface Naming {
  /** The names of Java: {@code blockHash}. */
  Naming AS_DECLARED = declared -> declared;

  /**
   * Lower case, with an underscore before each word: {@code block_hash}. A run of capitals is one
   * word: {@code parentURL} becomes {@code parent_url}.
   */
  Naming SNAKE_CASE = declared -> separated(declared, '_');

  /** Lower case, with a hyphen before each word: {@code block-hash}. */
  Naming KEBAB_CASE = declared -> separated(declared, '-');

  /** A capital first letter: {@code BlockHash}. */
  Naming UPPER_CAMEL_CASE =
      declared -> Character.toUpperCase(declared.charAt(0)) + declared.substring(1);

  /** Returns the name of the member for a name in Java, which is not empty. */
  String name(String declared);

  private static String separated(String declared, char separator) {
    StringBuilder name = new StringBuilder();
    boolean capital = true; // there is no separator before the first word
    for (int i = 0; i < declared.length(); i++) {
      char c = declared.charAt(i);
      boolean starts = Character.isUpperCase(c) && !capital;
      if (starts && name.charAt(name.length() - 1) != separator) {
        name.append(separator);
      }
      capital = Character.isUpperCase(c);
      name.append(Character.toLowerCase(c));
    }
    return name.toString();
  }
}
