package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Decodes JSON strings and numbers, and prepares texts for logs and messages. */
public final class Text {
  /** The maximum number of digits of {@link #number}; a {@code long} has all such numbers. */
  public static final int DIGITS = 18;

  private Text() {}

  /** Returns the message of a failure; the name of its class if it has none. */
  public static String of(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** Returns the bytes of a text as UTF-8. */
  public static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  /** Returns the number in 1 to {@value #DIGITS} decimal digits; -1 for any other text. */
  public static long number(String text) {
    if (text.isEmpty() || text.length() > DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  /**
   * Returns a text for one line of a log: a space replaces each character that a terminal would
   * interpret or not show.
   */
  public static String printable(String text) {
    return Visible.replaced(text, ' ').replace('\t', ' ');
  }

  /** Returns a text with at most {@code longest} characters, and three dots if it was longer. */
  public static String shortened(String text, int longest) {
    return text.length() <= longest ? text : cut(text, longest) + "...";
  }

  /** Returns the first {@code longest} characters of a text. No surrogate pair is cut in two. */
  public static String cut(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    boolean splitsPair =
        longest > 0 && Character.isSurrogatePair(text.charAt(longest - 1), text.charAt(longest));
    return text.substring(0, splitsPair ? longest - 1 : longest);
  }

  /** Decodes the valid JSON string {@code b[from, to)}, which includes its quotes. */
  public static String string(byte[] b, int from, int to) {
    return content(b, from + 1, to - 1);
  }

  /** Decodes the content of a valid JSON string, without its quotes. */
  public static String content(byte[] b, int from, int to) {
    int slash = Bytes.find(b, from, to, '\\');
    return slash < to ? unescape(b, from, to) : new String(b, from, to - from, UTF_8);
  }

  /**
   * Decodes the content of a valid JSON string, without its quotes. {@link TextBuffer} is faster
   * for a long one, but uses this for a surrogate alone.
   */
  static String unescape(byte[] b, int from, int to) {
    char[] text = new char[to - from]; // a character has at least one byte
    int length = 0;
    int i = from;
    while (i < to) {
      byte c = b[i];
      if (c >= 0 && c != '\\') {
        text[length++] = (char) c;
        i++;
      } else if (c >= 0) {
        boolean unit = b[i + 1] == 'u';
        text[length++] = unit ? (char) codeUnit(b, i + 2) : single(b[i + 1]);
        i += unit ? 6 : 2;
      } else if (c < (byte) 0xE0) {
        text[length++] = (char) ((c & 0x1F) << 6 | b[i + 1] & 0x3F);
        i += 2;
      } else if (c < (byte) 0xF0) {
        text[length++] = (char) ((c & 0xF) << 12 | (b[i + 1] & 0x3F) << 6 | b[i + 2] & 0x3F);
        i += 3;
      } else {
        int point =
            (c & 7) << 18 | (b[i + 1] & 0x3F) << 12 | (b[i + 2] & 0x3F) << 6 | b[i + 3] & 0x3F;
        length += Character.toChars(point, text, length);
        i += 4;
      }
    }
    return new String(text, 0, length);
  }

  /** Returns the code unit that four hexadecimal digits form. */
  static int codeUnit(byte[] b, int i) {
    return hex(b[i]) << 12 | hex(b[i + 1]) << 8 | hex(b[i + 2]) << 4 | hex(b[i + 3]);
  }

  /** Returns the character that an escape represents, by the letter after its backslash. */
  static char single(byte c) {
    return switch (c) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> (char) c;
    };
  }

  /** Returns the value of a hexadecimal digit, or a negative number for any other byte. */
  public static int hex(byte c) {
    return Character.digit(c, 16);
  }
}
