package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Decodes JSON strings that contain escapes, and finds their ends, in one pass. Reusable, so that
 * many strings need one buffer. Not thread-safe.
 *
 * <p>The buffer holds the text in UTF-8: runs without an escape are copied eight bytes at a time,
 * and the JDK converts ASCII to a string as fast as it copies it.
 */
public final class TextBuffer {
  /** The initial capacity, unless the input is shorter. */
  private static final int FIRST = 64 << 10;

  /**
   * The free space that each step leaves after the text: for a word, an escape and the last bytes.
   */
  private static final int SLACK = 32;

  private static final int NONE = -1;

  /** The characters that the letters after a backslash represent; 0 for {@code u}. */
  private static final byte[] SINGLE = new byte[128];

  static {
    for (char c : "\"\\/bfnrt".toCharArray()) {
      SINGLE[c] = (byte) Text.single((byte) c);
    }
  }

  private byte[] text = {};
  private int length;
  private int end;

  /** Creates an empty buffer. */
  public TextBuffer() {}

  /** Returns the index of the closing quote of the string that was decoded last. */
  public int end() {
    return end;
  }

  /**
   * Decodes a string. The buffer grows with the text, which is never longer than its JSON form.
   *
   * @param from the index after its opening quote
   * @param to the end of the JSON text, in which the string is valid
   */
  public String decode(byte[] b, int from, int to) {
    length = 0;
    reserve(Math.min(to - from, FIRST));
    byte[] out = text;
    int words = to - 8;
    int room = out.length - SLACK;
    int at = 0;
    int i = from;
    while (true) {
      if (i <= words) {
        if (at > room) {
          length = at;
          reserve(Math.min(at, to - i));
          out = text;
          room = out.length - SLACK;
        }
        long word = Bytes.word(b, i);
        Bytes.store(out, at, word);
        long stops = Bytes.stops(word);
        if (stops == 0) {
          i += 8;
          at += 8;
          continue;
        }
        int plain = Long.numberOfTrailingZeros(stops) >>> 3;
        i += plain;
        at += plain;
      }
      byte c = b[i];
      if (c == '"') {
        end = i;
        return new String(out, 0, at, UTF_8);
      } else if (c != '\\') { // one of the last seven bytes of the input
        out[at++] = c;
        i++;
        continue;
      }
      byte single = SINGLE[b[i + 1]];
      if (single != 0) {
        out[at++] = single;
        i += 2;
        continue;
      }
      int point = point(b, i, to);
      if (point == NONE) { // a surrogate alone has no form in UTF-8
        end = closingQuote(b, i, to);
        return Text.unescape(b, from, end);
      }
      i += point > Character.MAX_VALUE ? 12 : 6;
      at = put(point, out, at);
    }
  }

  /** Returns the code point of an escape, or of two that are a pair; {@link #NONE} for a half. */
  private static int point(byte[] b, int i, int to) {
    char unit = (char) Text.codeUnit(b, i + 2);
    if (!Character.isSurrogate(unit)) {
      return unit;
    }
    if (Character.isHighSurrogate(unit) && i + 12 <= to && b[i + 6] == '\\' && b[i + 7] == 'u') {
      char low = (char) Text.codeUnit(b, i + 8);
      return Character.isLowSurrogate(low) ? Character.toCodePoint(unit, low) : NONE;
    }
    return NONE;
  }

  /** Stores a code point as UTF-8; returns the index after it. */
  private static int put(int point, byte[] out, int index) {
    int at = index;
    if (point < 0x80) {
      out[at++] = (byte) point;
      return at;
    }
    if (point < 0x800) {
      out[at++] = (byte) (0xC0 | point >> 6);
    } else {
      if (point <= Character.MAX_VALUE) {
        out[at++] = (byte) (0xE0 | point >> 12);
      } else {
        out[at++] = (byte) (0xF0 | point >> 18);
        out[at++] = (byte) (0x80 | point >> 12 & 0x3F);
      }
      out[at++] = (byte) (0x80 | point >> 6 & 0x3F);
    }
    out[at++] = (byte) (0x80 | point & 0x3F);
    return at;
  }

  /** Returns the index of the closing quote of a string, from the backslash of an escape on. */
  private static int closingQuote(byte[] b, int escape, int to) {
    int i = escape;
    while (b[i] != '"') {
      i = Bytes.find(b, i + 2, to, '"', '\\');
    }
    return i;
  }

  /** Makes room for that many bytes after the text, and for {@link #SLACK}. */
  private void reserve(int more) {
    int needed = length + more + SLACK;
    if (text.length < needed) {
      text = Arrays.copyOf(text, needed);
    }
  }
}
