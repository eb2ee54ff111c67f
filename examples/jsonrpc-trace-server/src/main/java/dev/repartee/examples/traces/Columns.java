package dev.repartee.examples.traces;

/**
 * Converts positions in the UTF-8 form of a line to positions in its characters (UTF-16), which LSP
 * counts. The time of a conversion is proportional to the distance from the previous one. Not
 * thread-safe.
 */
final class Columns {
  private final byte[] utf8;
  private final boolean isAscii;
  private int at;
  private int column;

  Columns(byte[] utf8, int length) {
    this.utf8 = utf8;
    this.isAscii = utf8.length == length;
  }

  /** Returns the index of the character that begins at a byte. */
  int of(int index) {
    if (isAscii) {
      return index;
    }
    while (at < index) {
      column += width(utf8[at++]);
    }
    while (at > index) {
      column -= width(utf8[--at]);
    }
    return column;
  }

  /** Returns the number of characters that begin with this byte: none if it continues one. */
  private static int width(byte b) {
    return (b & 0xC0) == 0x80 ? 0 : (b & 0xF8) == 0xF0 ? 2 : 1;
  }
}
