package dev.repartee.cli;

/**
 * Makes the characters of a text visible that a terminal obeys: the control characters (C0, DEL and C1,
 * which some terminals take for the start of an escape sequence) and those that turn the direction of
 * the text. A peer chooses the texts, and must not choose what a terminal does or hide what it shows.
 */
final class Visible {
  private Visible() {}

  /**
   * Writes each as an escape of JSON, <code>&#92;u009b</code>: inside a string of JSON it means the same.
   * Tabs and line ends stay.
   */
  static String escaped(String text) {
    StringBuilder escaped = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isObeyed(c) || isLayout(text, i)) {
        if (escaped != null) {
          escaped.append(c);
        }
        continue;
      }
      escaped =
          escaped == null ? new StringBuilder(text.length() + 16).append(text, 0, i) : escaped;
      escaped.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        escaped.append(Character.forDigit(c >> shift & 0xF, 16));
      }
    }
    return escaped == null ? text : escaped.toString();
  }

  /** Puts one sentence on one line, and a question mark in the place of each. */
  static String sentence(String text) {
    StringBuilder sentence = new StringBuilder(text.length());
    String line = text.strip().replaceAll("\\s*\\R\\s*", " ");
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      sentence.append(c == '\t' ? ' ' : isObeyed(c) ? '?' : c);
    }
    return sentence.toString();
  }

  private static boolean isObeyed(char c) {
    return c < ' '
        || c >= 0x7F && c <= 0x9F
        || c == 0x061C
        || c == 0x200E
        || c == 0x200F
        || c >= 0x202A && c <= 0x202E
        || c >= 0x2066 && c <= 0x2069;
  }

  /** A carriage return alone is not layout: the text behind it would overwrite the line. */
  private static boolean isLayout(String text, int i) {
    char c = text.charAt(i);
    return c == '\n'
        || c == '\t'
        || c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
  }
}
