package dev.repartee;

/**
 * Looks for the next {@code Content-Length:} or {@code Content-Type:} in a stream whose headers
 * were lost, wherever on a line it stands: what went before may have been a body of unknown length.
 */
final class HeaderSearch {
  private static final String LENGTH = "content-length:";
  private static final String TYPE = "content-type:";

  /** Of each name, how many bytes the text so far ends with. */
  private int length;

  private int type;

  private boolean passedAny;
  private boolean found;

  /** Starts over. */
  void start() {
    length = 0;
    type = 0;
    passedAny = false;
    found = false;
  }

  /**
   * Goes on with the search in {@code b[from, to)}, which begins with the bytes that it kept.
   *
   * @return where the header stands if it was {@linkplain #found() found}; else the first byte to
   *     keep, which may be the start of one
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

  /** The first letter of either name stands in it only once, so a mismatch falls back to it. */
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

  /** Whether anything stood between the start of the search and the header. */
  boolean passedAny() {
    return passedAny;
  }
}
