package dev.repartee.security;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lines of a file of callers, {@code NAME:PROOF:ROLE,ROLE}; comments begin with a hash. */
final class Entries {
  /** A line. */
  record Entry(String name, String proof, Set<String> roles, int line) {
    /** Returns the line of the file. */
    String text() {
      return name + ":" + proof + (roles.isEmpty() ? "" : ":" + String.join(",", roles));
    }
  }

  private Entries() {}

  /**
   * Parses the lines.
   *
   * @param proof describes the second field, such as {@code HASH}, for messages
   * @param colons whether the proof may contain colons; then the roles are never omitted, but may
   *     be empty
   * @throws IllegalArgumentException if a line is invalid; its message does not quote the line
   */
  static List<Entry> parse(String text, Path path, String proof, boolean colons) {
    List<Entry> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    int number = 0;
    for (String line : (Iterable<String>) text.lines()::iterator) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      Entry entry = entry(line, path, number, proof, colons);
      if (!names.add(entry.name) && !colons) {
        throw invalid(path, number, "has the name of an earlier line; remove one of them");
      }
      entries.add(entry);
    }
    return entries;
  }

  private static Entry entry(String line, Path path, int number, String proof, boolean colons) {
    int first = line.indexOf(':');
    int second = colons ? line.lastIndexOf(':') : line.indexOf(':', first + 1);
    if (first <= 0 || colons && second == first) {
      throw invalid(
          path,
          number,
          "is not of the form NAME:" + proof + (colons ? ":" : "[:") + "ROLE,ROLE"
              + (colons ? "" : "]"));
    }
    String name = line.substring(0, first);
    String middle = second < 0 ? line.substring(first + 1) : line.substring(first + 1, second);
    String roles = second < 0 ? "" : line.substring(second + 1);
    try {
      requireName(name);
      return new Entry(name, middle.strip(), roles(roles), number);
    } catch (IllegalArgumentException e) {
      throw invalid(path, number, "is invalid: " + e.getMessage());
    }
  }

  private static Set<String> roles(String text) {
    Set<String> roles = new LinkedHashSet<>();
    for (String role : text.split(",")) {
      if (!role.isBlank()) {
        roles.add(requireRole(role.strip()));
      }
    }
    return roles;
  }

  /**
   * Checks the name of an entry.
   *
   * @throws IllegalArgumentException if it cannot be written in a file
   */
  static String requireName(String name) {
    if (name.isBlank() || name.startsWith("#") || !isPlain(name, ":")) {
      throw new IllegalArgumentException(
          "a name is not empty, has no colon and no control character, and does not begin with #");
    }
    return name;
  }

  static String requireRole(String role) {
    if (role.isBlank() || role.equals("*") || !isPlain(role, ":,")) {
      throw new IllegalArgumentException(
          "a role is not empty and not *, and has no comma, colon and control character");
    }
    return role;
  }

  private static boolean isPlain(String text, String forbidden) {
    return text.chars().noneMatch(c -> Character.isISOControl(c) || forbidden.indexOf(c) >= 0);
  }

  static IllegalArgumentException invalid(Path path, int line, String what) {
    return new IllegalArgumentException("line " + line + " of " + path + " " + what);
  }
}
