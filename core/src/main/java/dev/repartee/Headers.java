package dev.repartee;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a connection tells its peer outside of the messages, such as who calls: header fields of HTTP.
 * Immutable. Its text shows the names and never a value, which may be a secret.
 *
 * @param fields the values by name, in the order they are sent in; no name stands twice, whatever its
 *     case
 */
public record Headers(Map<String, String> fields) {
  /** None. */
  public static final Headers NONE = new Headers(Map.of());

  /** RFC 9110 section 5.6.2. */
  private static final String NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  private static final String VALUE = "[\\x20-\\x7E\\t]*";

  /**
   * Copies the fields; white space around a value is no part of it.
   *
   * @throws IllegalArgumentException for a name or a value that would not arrive as it is
   */
  public Headers {
    Map<String, String> copy = new LinkedHashMap<>();
    fields.forEach((name, value) -> {
      require(name, value);
      copy.keySet().removeIf(name::equalsIgnoreCase);
      copy.put(name, value.strip());
    });
    fields = Collections.unmodifiableMap(copy);
  }

  private static void require(String name, String value) {
    if (!name.matches(NAME)) {
      throw new IllegalArgumentException("'" + name + "' is no name of a header; a name is made of"
          + " letters, digits and hyphens, such as Authorization");
    }
    if (!value.matches(VALUE)) {
      throw new IllegalArgumentException("the value of the header " + name
          + " has a line end or another character that is not printable ASCII; encode it");
    }
  }

  /** These and that one; it replaces one of the same name in whatever case. */
  Headers with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(fields);
    more.keySet().removeIf(name::equalsIgnoreCase);
    more.put(name, value);
    return new Headers(more);
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return fields.isEmpty();
  }

  /** The names. */
  @Override
  public String toString() {
    return fields.keySet().toString();
  }
}
