package dev.repartee.json;

import dev.repartee.internal.Bytes;
import java.util.Arrays;

/**
 * The text of a member name in quotes and the colon after it, without escapes or white space. Most
 * senders write names in this form. A comparison in words of eight bytes finds most members without
 * parsing the name.
 */
final class MemberName {
  /** A comma, the name in quotes and a colon. */
  private final byte[] text;

  /** The text without the comma, as words of eight bytes; the last word is padded with zeros. */
  private final long[] words;

  /** A mask for the bytes of the last word that are not padding. */
  private final long mask;

  MemberName(String name) {
    this.text = new JsonWriter().put(',').string(name).put(':').toBytes();
    int length = text.length - 1;
    byte[] padded = Arrays.copyOfRange(text, 1, length + 8);
    this.words = new long[(length + 7) / 8];
    for (int i = 0; i < words.length; i++) {
      words[i] = Bytes.word(padded, 8 * i);
    }
    this.mask = -1L >>> (8 * words.length - length) * 8;
  }

  /** Writes the name and the colon, after a comma unless the member is the first of the object. */
  void write(JsonWriter out, boolean first) {
    out.raw(text, first ? 1 : 0, text.length);
  }

  /**
   * Moves the cursor past this name, its colon and the white space that follows. Returns false,
   * without moving, if the text at the cursor differs, or the array is too short to compare whole
   * words.
   */
  boolean stepOver(JsonReader c) {
    int last = words.length - 1;
    int at = c.at;
    if (at + 8 * words.length > c.bytes.length) {
      return false;
    }
    for (int i = 0; i < last; i++, at += 8) {
      if (Bytes.word(c.bytes, at) != words[i]) {
        return false;
      }
    }
    if (((Bytes.word(c.bytes, at) ^ words[last]) & mask) != 0) {
      return false;
    }
    c.at = JsonScanner.space(c.bytes, c.at + text.length - 1, c.to);
    return true;
  }
}
