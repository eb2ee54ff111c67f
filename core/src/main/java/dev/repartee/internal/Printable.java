package dev.repartee.internal;

/** Makes text from a peer safe to print: a terminal obeys control characters. */
public final class Printable {
  private Printable() {}

  /**
   * Returns the text in one line. Line ends and tabs become blanks. All other characters that a
   * terminal would interpret or not show become question marks, see {@link Visible}.
   */
  public static String text(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      boolean blank = c == '\t' || c == '\n' || c == '\r';
      safe.appendCodePoint(blank ? ' ' : Visible.isHidden(text, i) ? '?' : c);
      i += Character.charCount(c);
    }
    return safe.toString();
  }
}
