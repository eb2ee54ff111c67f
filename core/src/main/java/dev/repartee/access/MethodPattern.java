package dev.repartee.access;

import java.util.List;

/**
 * A pattern of method names, in which {@code *} stands for any characters. A peer chooses the names,
 * which may be as long as a message. The time of a match is therefore linear in the length of the
 * name, unlike the time of a regular expression.
 *
 * @param parts the texts between the asterisks; one part if there is no asterisk
 */
record MethodPattern(List<String> parts) {
  static MethodPattern of(String pattern) {
    return new MethodPattern(List.of(pattern.split("\\*", -1)));
  }

  /** Returns whether all names that match have this beginning. */
  boolean beginsWith(String text) {
    return parts.get(0).startsWith(text);
  }

  boolean matches(String name) {
    String first = parts.get(0);
    int last = parts.size() - 1;
    if (last == 0) {
      return name.equals(first);
    }
    int end = name.length() - parts.get(last).length();
    int at = first.length();
    if (end < at || !name.startsWith(first) || !name.startsWith(parts.get(last), end)) {
      return false;
    }
    for (String part : parts.subList(1, last)) {
      int found = name.indexOf(part, at); // the first place leaves the most for the other parts
      if (found < 0 || found + part.length() > end) {
        return false;
      }
      at = found + part.length();
    }
    return true;
  }
}
