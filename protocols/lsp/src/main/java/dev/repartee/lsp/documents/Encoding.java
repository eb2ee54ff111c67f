package dev.repartee.lsp.documents;

import dev.repartee.lsp.types.PositionEncodingKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The units in which a client counts the characters of a line. */
enum Encoding {
  UTF_8(PositionEncodingKind.UTF8),
  UTF_16(PositionEncodingKind.UTF16),
  UTF_32(PositionEncodingKind.UTF32);

  final PositionEncodingKind kind;

  Encoding(PositionEncodingKind kind) {
    this.kind = kind;
  }

  /**
   * Returns the encoding of that kind.
   *
   * @throws IllegalArgumentException if the kind is unknown
   */
  static Encoding of(PositionEncodingKind kind) {
    for (Encoding each : values()) {
      if (each.kind.equals(kind)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "unknown position encoding '" + kind.value() + "'; known are utf-8, utf-16 and utf-32");
  }

  /** Returns the first known encoding in the client's order; UTF-16 if there is none. */
  static Encoding choose(@Nullable List<PositionEncodingKind> offered) {
    if (offered != null) {
      for (PositionEncodingKind kind : offered) {
        for (Encoding each : values()) {
          if (each.kind.equals(kind)) {
            return each;
          }
        }
      }
    }
    return UTF_16;
  }

  /**
   * Returns the number of units of a part of a text. Half of a pair of surrogates at its end does
   * not count.
   */
  int units(String text, int from, int to) {
    if (this == UTF_16) {
      return to - from;
    }
    int units = 0;
    for (int i = from; i < to; ) {
      int character = text.codePointAt(i);
      i += Character.charCount(character);
      units += i > to ? 0 : width(character);
    }
    return units;
  }

  /**
   * Returns the index after this number of units from {@code from}: at most {@code to}, and the
   * start of a character if the units end within it.
   */
  int index(String text, int from, int to, int units) {
    int left = units;
    int i = from;
    while (i < to) {
      int character = text.codePointAt(i);
      left -= width(character);
      if (left < 0) {
        break;
      }
      i += Character.charCount(character);
    }
    return i;
  }

  private int width(int codePoint) {
    return switch (this) {
      case UTF_8 -> codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
      case UTF_16 -> Character.charCount(codePoint);
      case UTF_32 -> 1;
    };
  }
}
