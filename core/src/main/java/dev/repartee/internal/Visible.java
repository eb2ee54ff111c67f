package dev.repartee.internal;

/**
 * Names the characters that a terminal would interpret or not show: control characters (C0, DEL and
 * C1, with which escape sequences start on some terminals), characters that change the direction of
 * text, separators of lines and paragraphs, and characters without a shape: formats (category Cf)
 * such as zero width spaces and tags, fillers, placeholders of objects, and variation selectors
 * that do not belong to an emoji. Peers choose the texts, and must not be able to control the
 * terminal or to hide text from its user.
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
   * Returns whether the character at an index of a text is one of these; tabs and line feeds are,
   * too. A selector of emoji is one unless it belongs to an emoji: others could encode invisible
   * text.
   */
  public static boolean isHidden(String text, int at) {
    int c = text.codePointAt(at);
    return isHidden(c) || (c == 0xFE0E || c == 0xFE0F) && !isOfEmoji(text, at);
  }

  /** Returns whether a character is one of these wherever it is. */
  public static boolean isHidden(int c) {
    return c < ' ' || c >= 0x7F && c <= 0x9F || c > 0x9F && isInvisible(c);
  }

  /**
   * Returns whether the selector at an index follows a character that may be an emoji (Unicode,
   * emoji-variation-sequences.txt): a symbol, punctuation outside of ASCII, or a keycap.
   */
  private static boolean isOfEmoji(String text, int at) {
    if (at == 0) {
      return false;
    }
    int base = text.codePointBefore(at);
    if (base < 0x80) {
      return "#*0123456789".indexOf(base) >= 0
          && at + 1 < text.length()
          && text.charAt(at + 1) == 0x20E3;
    }
    return base == 0x2139 // the letter i of information
        || !isHidden(base)
            && switch (Character.getType(base)) {
              case Character.OTHER_SYMBOL,
                  Character.MATH_SYMBOL,
                  Character.OTHER_PUNCTUATION,
                  Character.DASH_PUNCTUATION -> true;
              default -> false;
            };
  }

  /**
   * Returns whether a character has no shape (Unicode, Default_Ignorable_Code_Point). The last two
   * variation selectors may be part of emoji.
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
        || c >= 0xFFF0 && c <= 0xFFFC // the last one represents an object
        || c >= 0xE0000 && c <= 0xE0FFF; // tags, further variation selectors
  }
}
