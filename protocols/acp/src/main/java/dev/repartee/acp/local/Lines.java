package dev.repartee.acp.local;

import org.jspecify.annotations.Nullable;

/** Extracts lines from a text. */
final class Lines {
  private Lines() {}

  /**
   * Returns some lines of a text with their line ends.
   *
   * @param first the first line, from 1; null for the first one
   * @param limit the maximum number of lines; null for all
   */
  static String of(String text, @Nullable Integer first, @Nullable Integer limit) {
    int from = 0;
    for (int line = 1; first != null && line < first; line++) {
      int end = text.indexOf('\n', from);
      if (end < 0) {
        return "";
      }
      from = end + 1;
    }
    int to = text.length();
    if (limit != null) {
      to = from;
      for (int line = 0; line < limit && to < text.length(); line++) {
        int end = text.indexOf('\n', to);
        to = end < 0 ? text.length() : end + 1;
      }
    }
    return text.substring(from, to);
  }
}
