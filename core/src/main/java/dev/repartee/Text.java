package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

/** JSON strings to Java strings. */
final class Text {
  private Text() {}

  /** Decodes the valid string {@code b[from, to)}, quotes included. */
  static String string(byte[] b, int from, int to) {
    return content(b, from + 1, to - 1);
  }

  /** Decodes what stands between the quotes of a valid string. */
  static String content(byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (b[i] == '\\') {
        return unescape(b, from, i, to);
      }
    }
    return new String(b, from, to - from, UTF_8);
  }

  private static String unescape(byte[] b, int from, int slash, int to) {
    StringBuilder text = new StringBuilder(to - from);
    int start = from;
    int i = slash;
    while (i < to) {
      if (b[i] != '\\') {
        i++;
        continue;
      }
      text.append(new String(b, start, i - start, UTF_8));
      if (b[i + 1] == 'u') {
        text.append((char) codeUnit(b, i + 2));
        i += 6;
      } else {
        text.append(single(b[i + 1]));
        i += 2;
      }
      start = i;
    }
    return text.append(new String(b, start, to - start, UTF_8)).toString();
  }

  private static int codeUnit(byte[] b, int i) {
    return Scanner.hex(b[i]) << 12
        | Scanner.hex(b[i + 1]) << 8
        | Scanner.hex(b[i + 2]) << 4
        | Scanner.hex(b[i + 3]);
  }

  private static char single(byte c) {
    return switch (c) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> (char) c;
    };
  }
}
