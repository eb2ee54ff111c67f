package dev.repartee.envelopes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.JsonScanner;
import dev.repartee.json.UnsafeJson;
import org.jspecify.annotations.Nullable;

/**
 * A value of an externally tagged union, as the Rust library serde writes it: the name of the
 * variant as a string, or an object with one member of that name. Positions are indexes of the
 * frame's array.
 *
 * @param nameFrom the start of the name, without its quotes
 * @param nameTo the end of the name
 * @param escaped whether the name contains an escape
 * @param from the start of the body; equal to {@code to} if there is none
 * @param to the end of the body
 */
record Variant(int nameFrom, int nameTo, boolean escaped, int from, int to) {
  /** Reads the valid JSON value {@code b[from, to)}; returns null if it is not such a union. */
  static @Nullable Variant of(byte[] b, int from, int to) {
    if (b[from] == '"') {
      return new Variant(from + 1, to - 1, hasEscape(b, from + 1, to - 1), to, to);
    }
    int name = b[from] == '{' ? JsonScanner.first(b, from, to, '}') : -1;
    if (name < 0) {
      return null;
    }
    int behind = JsonScanner.skipString(b, name);
    int value = JsonScanner.colon(b, behind, to);
    int end = JsonScanner.skip(b, value);
    return JsonScanner.next(b, end, to, '}') >= 0
        ? null
        : new Variant(name + 1, behind - 1, hasEscape(b, name + 1, behind - 1), value, end);
  }

  private static boolean hasEscape(byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == '\\') {
        return true;
      }
    }
    return false;
  }

  boolean hasBody() {
    return from < to;
  }

  String name(byte[] b) {
    return escaped
        ? UnsafeJson.copy(b, nameFrom - 1, nameTo + 1).as(String.class)
        : new String(b, nameFrom, nameTo - nameFrom, UTF_8);
  }
}
