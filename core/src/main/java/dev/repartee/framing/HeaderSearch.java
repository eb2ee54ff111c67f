package dev.repartee.framing;

import dev.repartee.internal.Bytes;

/**
 * Searches for the next {@code Content-Length:} or {@code Content-Type:} after a bad header block.
 * The name may occur anywhere in a line, because the bytes before it may be a body of unknown
 * length.
 */
final class HeaderSearch {
  private static final String LENGTH = "content-length:";
  private static final String TYPE = "content-type:";

  /** The number of bytes of {@link #LENGTH} that the input so far ends with. */
  private int length;

  /** The number of bytes of {@link #TYPE} that the input so far ends with. */
  private int type;

  private boolean passedAny;
  private boolean found;

  /** Starts a new search. */
  void start() {
    length = 0;
    type = 0;
    passedAny = false;
    found = false;
  }

  /**
   * Continues the search in {@code b[from, to)}, which begins with the bytes that were kept.
   *
   * @return the index of the header if it was {@linkplain #found() found}; else the index of the
   *     first byte to keep, which may be the start of a header
   */
  int find(byte[] b, int from, int to) {
    for (int i = from + Math.max(length, type); i < to; i++) {
      length = follow(LENGTH, length, b[i]);
      type = follow(TYPE, type, b[i]);
      found = length == LENGTH.length() || type == TYPE.length();
      if (found) {
        return pass(from, i + 1);
      }
    }
    return pass(from, to);
  }

  /**
   * Returns the number of matched bytes after {@code c}. The first letter of each name occurs only
   * once in the name. After a mismatch, only {@code c} itself can begin a new match.
   */
  private static int follow(String name, int matched, byte c) {
    int lower = Bytes.lower(c);
    return lower == name.charAt(matched) ? matched + 1 : lower == name.charAt(0) ? 1 : 0;
  }

  private int pass(int from, int to) {
    int keep = to - Math.max(length, type);
    passedAny |= keep > from;
    return keep;
  }

  boolean found() {
    return found;
  }

  /** Returns whether there was input between the start of the search and the header. */
  boolean passedAny() {
    return passedAny;
  }
}
