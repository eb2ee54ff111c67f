package dev.repartee.internal;

import java.util.Arrays;
import java.util.List;

/**
 * A table of the names of parameters or record components, searched by the bytes of a JSON text.
 */
public final class Names {
  private static final int LONGEST_QUOTE = 60;

  private final List<String> names;
  private final byte[][] bytes;

  public Names(List<String> names) {
    this.names = List.copyOf(names);
    this.bytes = names.stream().map(Text::utf8).toArray(byte[][]::new);
  }

  /**
   * Returns the index of the name {@code b[from, to)}, which has no quotes but may have escapes, or
   * -1.
   *
   * @param guess the index to compare first: most senders keep the order of declaration
   */
  public int find(byte[] b, int from, int to, int guess) {
    if (guess < bytes.length && is(guess, b, from, to)) {
      return guess;
    }
    for (int i = 0; i < bytes.length; i++) {
      if (is(i, b, from, to)) {
        return i;
      }
    }
    return escaped(b, from, to) ? names.indexOf(Text.content(b, from, to)) : -1;
  }

  private boolean is(int i, byte[] b, int from, int to) {
    return Arrays.equals(bytes[i], 0, bytes[i].length, b, from, to);
  }

  private static boolean escaped(byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == '\\') {
        return true;
      }
    }
    return false;
  }

  public String at(int index) {
    return names.get(index);
  }

  public int count() {
    return bytes.length;
  }

  /** Returns the error message for a name that is not in this table; it lists the known names. */
  public String unknown(String what, byte[] b, int from, int to) {
    String known = names.isEmpty() ? "none is known" : "known are " + String.join(", ", names);
    return "unknown " + what + " " + quote(Text.content(b, from, to)) + "; " + known;
  }

  /**
   * Returns a name for an error message: in quotes, and shortened, since the peer has chosen it.
   */
  public static String quote(String name) {
    return "'" + Text.shortened(name, LONGEST_QUOTE) + "'";
  }
}
