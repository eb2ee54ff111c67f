package dev.repartee.netty.http;

/** Makes text from a peer safe to print: a terminal obeys control characters. */
public final class Printable {
  private Printable() {}

  /**
   * Returns the text in one line. Line ends and tabs become blanks. All other control characters
   * (C0, DEL, C1), separators of lines and paragraphs, and characters that change the direction of
   * the text become question marks.
   */
  public static String text(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean blank = c == '\t' || c == '\n' || c == '\r';
      safe.append(blank ? ' ' : isUnsafe(c) ? '?' : c);
    }
    return safe.toString();
  }

  private static boolean isUnsafe(char c) {
    return c < ' '
        || c >= 0x7F && c < 0xA0
        || c == 0x061C
        || c == 0x200E
        || c == 0x200F
        || c >= 0x2028 && c <= 0x202E
        || c >= 0x2066 && c <= 0x2069;
  }
}
