package dev.repartee.internal;

/**
 * Names the characters that a terminal would interpret or not show: control characters (C0, DEL and
 * C1, with which escape sequences start on some terminals), characters that change the direction of
 * text, separators of lines and paragraphs, and those without a shape of their own: formats (category Cf) such as zero width spaces and
 * tags, fillers, and variation selectors, except one behind the character of an emoji. Peers choose
 * the texts, and must not be able to control the terminal or to hide text from its user.
 */
public final class Visible {
  private Visible() {}

  /** Returns a text with a replacement for each of these characters; tabs stay. */
  public static String replaced(String text, char replacement) {
    StringBuilder visible = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      visible.appendCodePoint(c != '\t' && isHidden(text, i) ? replacement : c);
      i += Character.charCount(c);
    }
    return visible.toString();
  }

  /**
   * Returns whether the character at an index of a text is one of these; tabs and line feeds are, too.
   * A selector of emoji is one if it follows another selector: a run of them encodes invisible text.
   */
  public static boolean isHidden(String text, int at) {
    int c = text.codePointAt(at);
    return isHidden(c) || isOfEmoji(c) && (at == 0 || isOfEmoji(text.charAt(at - 1)));
  }

  /** Returns whether a character is one of these wherever it is. */
  public static boolean isHidden(int c) {
    return c < ' ' || c >= 0x7F && c <= 0x9F || c > 0x9F && isInvisible(c);
  }

  private static boolean isOfEmoji(int c) {
    return c == 0xFE0E || c == 0xFE0F;
  }

  /**
   * Returns whether a character has no shape of its own (Unicode, Default_Ignorable_Code_Point).
   * The last two variation selectors are often part of emoji.
   */
  private static boolean isInvisible(int c) {
    return Character.getType(c) == Character.FORMAT
        || c == 0x034F // combining grapheme joiner
        || c == 0x115F // fillers of Hangul
        || c == 0x1160
        || c == 0x3164
        || c == 0xFFA0
        || c == 0x17B4 // inherent vowels of Khmer
        || c == 0x17B5
        || c >= 0x180B && c <= 0x180F // variation selectors of Mongolian
        || c >= 0x2060 && c <= 0x206F // invisible operators
        || c == 0x2028 // separators of lines and paragraphs
        || c == 0x2029
        || c == 0x2800 // braille without dots
        || c >= 0xFE00 && c <= 0xFE0D
        || c >= 0xFFF0 && c <= 0xFFF8
        || c >= 0xE0000 && c <= 0xE0FFF; // tags, further variation selectors
  }
}
