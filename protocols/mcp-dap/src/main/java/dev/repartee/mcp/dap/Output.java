package dev.repartee.mcp.dap;

/**
 * The output of the program that the model has not read: the last {@value #MAX} characters.
 * Thread-safe.
 */
final class Output {
  static final int MAX = 200_000;

  /**
   * The number of unread characters at which the oldest characters are dropped. Larger than the
   * maximum, so that characters are rarely moved.
   */
  private static final int FULL = MAX + MAX / 4;

  // Guarded by this.
  private final StringBuilder unread = new StringBuilder();
  private long dropped;

  /**
   * A part of the output.
   *
   * @param text the characters
   * @param dropped the number of characters before them that were dropped
   * @param left the number of unread characters after them
   */
  record Part(String text, long dropped, int left) {}

  synchronized void add(String text) {
    unread.append(text, Math.max(0, text.length() - MAX), text.length());
    dropped += Math.max(0, text.length() - MAX);
    if (unread.length() > FULL) {
      drop(unread.length() - MAX);
    }
  }

  private void drop(int characters) {
    unread.delete(0, characters);
    dropped += characters;
  }

  /** Drops all output, because another program starts. */
  synchronized void clear() {
    unread.setLength(0);
    dropped = 0;
  }

  /** Returns the next unread characters, at most {@code most}, which then count as read. */
  synchronized Part take(int most) {
    if (unread.length() > MAX) {
      drop(unread.length() - MAX);
    }
    int end = Math.min(most, unread.length());
    if (end > 1 && end < unread.length() && Character.isHighSurrogate(unread.charAt(end - 1))) {
      end--;
    }
    String text = unread.substring(0, end);
    unread.delete(0, end);
    Part part = new Part(text, dropped, unread.length());
    dropped = 0;
    return part;
  }
}
