package dev.repartee.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Searches in byte arrays and compares them, eight bytes at a time. */
public final class Bytes {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final int EXCERPT = 40;

  /** Spreads hash codes over a table: an odd number with no pattern in its bits. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private Bytes() {}

  /** Returns a hash code of the bytes {@code b[from, to)}. */
  public static int hash(byte[] b, int from, int to) {
    long hash = to - from;
    int i = from;
    for (; i + 8 <= to; i += 8) {
      hash = (hash ^ word(b, i)) * MIX;
    }
    for (; i < to; i++) {
      hash = (hash ^ b[i]) * MIX;
    }
    return (int) (hash >>> 32);
  }

  /** Returns the eight bytes from {@code i} on as a little-endian number. */
  public static long word(byte[] b, int i) {
    return (long) WORD.get(b, i);
  }

  /** Stores a little-endian number of eight bytes from {@code i} on. */
  static void store(byte[] b, int i, long word) {
    WORD.set(b, i, word);
  }

  /**
   * Returns whether two arrays have the same bytes, in a time that depends only on their lengths.
   * It does not reveal how many bytes of a secret are right, like {@link
   * java.security.MessageDigest#isEqual}, which compares single bytes.
   */
  static boolean isSame(byte[] a, byte[] b) {
    if (a.length != b.length) {
      return false;
    }
    long difference = 0;
    int i = 0;
    for (; i + 8 <= a.length; i += 8) {
      difference |= word(a, i) ^ word(b, i);
    }
    for (; i < a.length; i++) {
      difference |= a[i] ^ b[i];
    }
    return difference == 0;
  }

  /** Returns the index of the first {@code wanted} in {@code b[i, to)}; {@code to} if none. */
  public static int find(byte[] b, int i, int to, char wanted) {
    return find(b, i, to, wanted, wanted);
  }

  /** Returns the index of the first {@code wanted} or {@code other}; {@code to} if none. */
  public static int find(byte[] b, int i, int to, char wanted, char other) {
    long ones = ONES * wanted;
    long others = ONES * other;
    for (; i + 8 <= to; i += 8) {
      long word = word(b, i);
      long found = (zeros(word ^ ones) | zeros(word ^ others)) & HIGHS;
      if (found != 0) {
        return i + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    while (i < to && b[i] != wanted && b[i] != other) {
      i++;
    }
    return i;
  }

  /** Returns the index of the first control character in {@code b[i, to)}; {@code to} if none. */
  public static int findControl(byte[] b, int i, int to) {
    for (; i + 8 <= to; i += 8) {
      long word = word(b, i);
      long found = word - ONES * ' ' & ~word & HIGHS;
      if (found != 0) {
        return i + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    while (i < to && (b[i] < 0 || b[i] >= ' ')) {
      i++;
    }
    return i;
  }

  /**
   * Sets the high bit of the lowest zero byte, and no high bit of a byte below it. Bits above may
   * be wrong; only the lowest one may be used.
   */
  private static long zeros(long word) {
    return word - ONES & ~word;
  }

  /**
   * Returns a word with the high bit set in the first byte of {@code word} (in memory order) that
   * is a quote or a backslash; zero if there is none. Bits above the lowest one may be wrong.
   */
  static long stops(long word) {
    return (zeros(word ^ ONES * '"') | zeros(word ^ ONES * '\\')) & HIGHS;
  }

  /** Returns whether {@code b[from, to)} equals a lower-case ASCII text, ignoring case. */
  public static boolean isIgnoringCase(byte[] b, int from, int to, String text) {
    if (to - from != text.length()) {
      return false;
    }
    for (int k = 0; k < text.length(); k++) {
      if (lower(b[from + k]) != text.charAt(k)) {
        return false;
      }
    }
    return true;
  }

  /** Returns an ASCII letter in lower case, and any other byte unchanged. */
  public static int lower(byte c) {
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
  }

  /** Returns the first 40 bytes of {@code b[from, to)} in quotes, for a message to people. */
  public static String excerpt(byte[] b, int from, int to) {
    int end = Math.min(to, from + EXCERPT);
    StringBuilder text = new StringBuilder("'");
    for (int i = from; i < end; i++) {
      text.append(b[i] >= ' ' && b[i] < 0x7F ? (char) b[i] : '?');
    }
    return text.append(end < to ? "...'" : "'").toString();
  }
}
