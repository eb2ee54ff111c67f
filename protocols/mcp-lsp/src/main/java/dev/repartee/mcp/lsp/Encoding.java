package dev.repartee.mcp.lsp;

import org.jspecify.annotations.Nullable;

/** The unit of the {@code character} of a position, as the server has chosen it. */
enum Encoding {
  /** Bytes of UTF-8. */
  UTF_8,
  /** UTF-16 code units, which every server supports. */
  UTF_16,
  /** Code points. */
  UTF_32;

  /** Returns the encoding of that name in LSP; UTF-16 for an unknown one, or for none. */
  static Encoding named(@Nullable String name) {
    return "utf-8".equals(name) ? UTF_8 : "utf-32".equals(name) ? UTF_32 : UTF_16;
  }

  /** Returns the number of units of a part of a text. */
  int units(String text, int from, int to) {
    if (this == UTF_16) {
      return to - from;
    }
    int units = 0;
    for (int i = from; i < to; i += Character.charCount(text.codePointAt(i))) {
      units += size(text.codePointAt(i));
    }
    return units;
  }

  /**
   * Returns the index that many units behind {@code from}: at most {@code to}, and the start of a
   * character if the units end inside of it.
   */
  int index(String text, int from, int to, int units) {
    if (this == UTF_16) {
      int i = units < to - from ? from + Math.max(0, units) : to;
      boolean inside = i > from
          && i < to
          && Character.isLowSurrogate(text.charAt(i))
          && Character.isHighSurrogate(text.charAt(i - 1));
      return inside ? i - 1 : i;
    }
    int left = units;
    int i = from;
    while (i < to) {
      int character = text.codePointAt(i);
      left -= size(character);
      if (left < 0) {
        break;
      }
      i += Character.charCount(character);
    }
    return i;
  }

  private int size(int character) {
    return switch (this) {
      case UTF_8 -> character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
      case UTF_16 -> Character.charCount(character);
      case UTF_32 -> 1;
    };
  }
}
