package dev.repartee.transport;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header fields that a client sends with its requests, such as credentials: those of an
 * endpoint or of one {@linkplain OutgoingMessage#headers message}. Immutable.
 * {@link #toString} contains only the names, since a value may be a secret.
 *
 * @param fields the values by name, in the order they are sent. Names are unique, ignoring case
 */
public record Headers(Map<String, String> fields) {
  /** No header fields. */
  public static final Headers NONE = new Headers(Map.of());

  /** The characters of a name besides letters and digits: a token of RFC 9110 section 5.6.2. */
  private static final String MARKS = "!#$%&'*+.^_`|~-";

  /**
   * Copies the fields and removes white space around the values.
   *
   * @throws IllegalArgumentException if a name is not a token of HTTP, or if a value has a line end
   *     or another character that is not printable ASCII
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
    if (!isToken(name)) {
      throw new IllegalArgumentException("'" + name + "' is not a valid header name; use"
          + " letters, digits and hyphens, as in Authorization");
    }
    if (!isPrintable(value)) {
      throw new IllegalArgumentException("the value of the header " + name
          + " has a line end or another character that is not printable ASCII; encode it");
    }
  }

  private static boolean isToken(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isWord = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!isWord && MARKS.indexOf(c) < 0) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static boolean isPrintable(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < 0x20 || c > 0x7E) && c != '\t') {
        return false;
      }
    }
    return true;
  }

  /** Returns these fields and one more. It replaces a field with the same name, ignoring case. */
  public Headers with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(fields);
    more.keySet().removeIf(name::equalsIgnoreCase);
    more.put(name, value);
    return new Headers(more);
  }

  /** Returns these fields and others, which replace fields with the same name, ignoring case. */
  public Headers with(Headers others) {
    if (others.isEmpty() || isEmpty()) {
      return isEmpty() ? others : this;
    }
    Map<String, String> more = new LinkedHashMap<>(fields);
    more.putAll(others.fields); // the constructor removes those that differ in case
    return new Headers(more);
  }

  /** Returns the value of a field, ignoring the case of its name; null if there is none. */
  public @Nullable String get(String name) {
    for (Map.Entry<String, String> field : fields.entrySet()) {
      if (field.getKey().equalsIgnoreCase(name)) {
        return field.getValue();
      }
    }
    return null;
  }

  /** Returns the number of characters of all names and values; each is a byte. */
  public int size() {
    int size = 0;
    for (Map.Entry<String, String> field : fields.entrySet()) {
      size += field.getKey().length() + field.getValue().length();
    }
    return size;
  }

  /** Returns whether there are no fields. */
  public boolean isEmpty() {
    return fields.isEmpty();
  }

  /** Returns the names, without the values. */
  @Override
  public String toString() {
    return fields.keySet().toString();
  }
}
