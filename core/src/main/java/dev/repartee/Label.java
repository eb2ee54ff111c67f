package dev.repartee;

import java.util.Arrays;

/** A member's name in quotes and the colon after it, as most writers write it: in one piece. */
final class Label {
  private final byte[] text;

  /** The text from its quote on, in eights and filled up with zeros. */
  private final long[] words;

  /** The bytes of the last word that count. */
  private final long mask;

  Label(String name) {
    this.text = new Output().put(',').string(name).put(':').toBytes();
    int length = text.length - 1;
    byte[] padded = Arrays.copyOfRange(text, 1, length + 8);
    this.words = new long[(length + 7) / 8];
    for (int i = 0; i < words.length; i++) {
      words[i] = Bytes.word(padded, 8 * i);
    }
    this.mask = -1L >>> (8 * words.length - length) * 8;
  }

  /** Writes it with a comma before it, unless it is the first one. */
  void write(Output out, boolean first) {
    out.raw(text, first ? 1 : 0, text.length);
  }

  /** Steps over it and the white space behind it, if it is what stands here. */
  boolean stepOver(Cursor c) {
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
    c.at = Scanner.space(c.bytes, c.at + text.length - 1, c.to);
    return true;
  }
}
