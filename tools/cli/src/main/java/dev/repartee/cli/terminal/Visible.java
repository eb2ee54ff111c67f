package dev.repartee.cli.terminal;

/**
 * Makes characters visible that a terminal would interpret or not show; see {@link
 * dev.repartee.internal.Visible}. A peer must not be able to control the terminal or to hide text
 * from its user.
 */
public final class Visible {
  private Visible() {}

  /**
   * Replaces each of these characters by its JSON escape, such as <code>&#92;u009b</code>, which
   * has the same meaning inside a JSON string. Tabs and line ends stay.
   */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      int end = i + Character.charCount(c);
      if (!isHidden(text, i) || isLayout(text, i)) {
        escaped.appendCodePoint(c);
      } else {
        escape(text, i, end, escaped);
      }
      i = end;
    }
    return escaped.toString();
  }

  /** Appends the escapes of a character, two for a pair of surrogates. */
  private static void escape(String text, int from, int to, StringBuilder escaped) {
    for (int i = from; i < to; i++) {
      escaped.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        escaped.append(Character.forDigit(text.charAt(i) >> shift & 0xF, 16));
      }
    }
  }

  /**
   * Joins a text to one line and replaces each of these characters by a question mark. Uses one
   * pass: a regular expression for the line ends would need quadratic time for the blanks of a
   * hostile peer.
   */
  public static String sentence(String text) {
    String line = text.strip();
    StringBuilder sentence = new StringBuilder(line.length());
    for (int i = 0; i < line.length(); ) {
      int gap = i;
      boolean ends = false;
      while (gap < line.length() && (isBlank(line.charAt(gap)) || isLineEnd(line.charAt(gap)))) {
        ends |= isLineEnd(line.charAt(gap++));
      }
      if (ends) {
        sentence.append(' ');
      } else if (gap > i) {
        sentence.append(" ".repeat(gap - i));
      } else {
        int c = line.codePointAt(gap);
        gap += Character.charCount(c);
        sentence.appendCodePoint(isHidden(line, i) ? '?' : c);
      }
      i = gap;
    }
    return sentence.toString();
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isLineEnd(char c) {
    return c >= '\n' && c <= '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
  }

  private static boolean isHidden(String text, int at) {
    return dev.repartee.internal.Visible.isHidden(text, at);
  }

  /**
   * Returns whether the character is a tab or part of a line end. A carriage return alone is
   * neither, because the text after it would overwrite the line.
   */
  private static boolean isLayout(String text, int i) {
    char c = text.charAt(i);
    return c == '\n'
        || c == '\t'
        || c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
  }
}
