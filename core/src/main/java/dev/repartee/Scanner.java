package dev.repartee;

import java.util.Arrays;

/**
 * Validates JSON text by the grammar of RFC 8259 over bytes that must be UTF-8, in one pass and
 * without building anything.
 *
 * <p>Every method takes the index of the first byte and answers the index after the last one.
 * Reusable, but for one thread at a time.
 */
final class Scanner {
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  /** The length of a byte order mark in UTF-8, which some programs write before a text. */
  static final int MARK = 3;

  private static final byte[] MARK_BYTES = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final int maxDepth;

  /** One bit a level: whether the container at that depth is an object. */
  private final long[] objects;

  /** Whether the string scanned last has an escape in it. */
  boolean escaped;

  Scanner(int maxDepth) {
    this.maxDepth = maxDepth;
    this.objects = new long[(maxDepth >> 6) + 1];
  }

  /** Skips white space. */
  static int space(byte[] b, int i, int to) {
    while (i < to) {
      byte c = b[i];
      if (c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        break;
      }
      i++;
    }
    return i;
  }

  /**
   * Returns where a message begins: behind white space, and behind one byte order mark, which RFC 8259
   * section 8.1 lets a parser ignore.
   */
  static int start(byte[] b, int from, int to) {
    int i = space(b, from, to);
    return i < to && b[i] < 0 && marked(b, i, to) == MARK ? space(b, i + MARK, to) : i;
  }

  /**
   * Returns how many bytes of a byte order mark stand in {@code b[from, to)}: 0 where it is none, fewer
   * than its three where the text ends in it.
   */
  static int marked(byte[] b, int from, int to) {
    int length = Math.min(MARK, to - from);
    return Arrays.equals(b, from, from + length, MARK_BYTES, 0, length) ? length : 0;
  }

  /** The whole of {@code b[from, to)} must be one value, with white space around it at most. */
  void text(byte[] b, int from, int to) {
    int end = space(b, value(b, space(b, from, to), to, 0), to);
    if (end != to) {
      throw new JsonException("text after the value", end);
    }
  }

  /** Scans the value at {@code i}, which stands in {@code depth} containers already. */
  int value(byte[] b, int i, int to, int depth) {
    int level = depth;
    while (true) {
      if (i >= to) {
        throw new JsonException("the text ends where a value is expected", i);
      }
      byte c = b[i];
      switch (c) {
        case '{' -> {
          push(++level, true, i);
          i = space(b, i + 1, to);
          if (i < to && b[i] == '}') {
            level--;
            i++;
          } else {
            i = key(b, i, to);
            continue;
          }
        }
        case '[' -> {
          push(++level, false, i);
          i = space(b, i + 1, to);
          if (i < to && b[i] == ']') {
            level--;
            i++;
          } else {
            continue;
          }
        }
        case '"' -> i = string(b, i + 1, to);
        case 't' -> i = literal(b, i, to, "true");
        case 'f' -> i = literal(b, i, to, "false");
        case 'n' -> i = literal(b, i, to, "null");
        default -> i = number(b, i, to);
      }
      while (true) {
        if (level == depth) {
          return i;
        }
        i = space(b, i, to);
        if (i >= to) {
          throw new JsonException("the text ends inside an object or array", i);
        }
        c = b[i];
        if (c == ',') {
          i = space(b, i + 1, to);
          if (isObject(level)) {
            i = key(b, i, to);
          }
          break;
        }
        if (c != (isObject(level) ? '}' : ']')) {
          throw new JsonException(
              isObject(level) ? "expected ',' or '}'" : "expected ',' or ']'", i);
        }
        level--;
        i++;
      }
    }
  }

  /** Refuses to go deeper than the limit. */
  void enter(int level, int i) {
    if (level > maxDepth) {
      throw new JsonException("nested deeper than the limit depth of " + maxDepth + " allows", i);
    }
  }

  private void push(int level, boolean object, int i) {
    enter(level, i);
    if (object) {
      objects[level >> 6] |= 1L << level;
    } else {
      objects[level >> 6] &= ~(1L << level);
    }
  }

  private boolean isObject(int level) {
    return (objects[level >> 6] & 1L << level) != 0;
  }

  /** Scans {@code "name" :} and the white space after it. */
  private int key(byte[] b, int i, int to) {
    if (i >= to || b[i] != '"') {
      throw new JsonException("expected a member name in quotes", i);
    }
    return colon(b, string(b, i + 1, to), to);
  }

  /** Scans the colon after a member name and the white space around it. */
  static int colon(byte[] b, int i, int to) {
    i = space(b, i, to);
    if (i >= to || b[i] != ':') {
      throw new JsonException("expected ':' after a member name", i);
    }
    return space(b, i + 1, to);
  }

  /** Scans a string from behind its opening quote. */
  int string(byte[] b, int i, int to) {
    escaped = false;
    while (true) {
      while (i + 8 <= to) {
        long stop = stops(Bytes.word(b, i));
        if (stop != 0) {
          i += Long.numberOfTrailingZeros(stop) >>> 3;
          break;
        }
        i += 8;
      }
      if (i >= to) {
        throw new JsonException("the text ends inside a string", i);
      }
      byte c = b[i];
      if (c == '"') {
        return i + 1;
      } else if (c == '\\') {
        escaped = true;
        i = escape(b, i, to);
      } else if (c < 0) {
        i = multibyte(b, i, to);
      } else if (c < 0x20) {
        throw new JsonException("a control character inside a string", i);
      } else {
        i++;
      }
    }
  }

  /** Marks bytes that end a run of plain text: a quote, a backslash, a control, a non-ASCII byte. */
  private static long stops(long word) {
    long quote = word ^ ONES * '"';
    long slash = word ^ ONES * '\\';
    return (quote - ONES & ~quote | slash - ONES & ~slash | word - ONES * 0x20 & ~word | word)
        & HIGHS;
  }

  private static int escape(byte[] b, int i, int to) {
    if (i + 1 < to) {
      switch (b[i + 1]) {
        case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
          return i + 2;
        }
        case 'u' -> {
          if (i + 6 <= to && (hex(b[i + 2]) | hex(b[i + 3]) | hex(b[i + 4]) | hex(b[i + 5])) >= 0) {
            return i + 6;
          }
        }
        default -> {}
      }
    }
    throw new JsonException("a broken escape inside a string", i);
  }

  /** The value of a hexadecimal digit, or a negative number. */
  static int hex(byte c) {
    return Character.digit(c, 16);
  }

  /** Scans one sequence of two to four bytes: shortest form, no surrogates, up to U+10FFFF. */
  private static int multibyte(byte[] b, int i, int to) {
    int first = b[i] & 0xFF;
    int second = i + 1 < to ? b[i + 1] & 0xFF : 0;
    if (first >= 0xC2 && first <= 0xDF && second >> 6 == 2) {
      return i + 2;
    }
    if (first >= 0xE0 && first <= 0xEF) {
      int low = first == 0xE0 ? 0xA0 : 0x80;
      int high = first == 0xED ? 0x9F : 0xBF;
      if (second >= low && second <= high && continues(b, i + 2, to)) {
        return i + 3;
      }
    } else if (first >= 0xF0 && first <= 0xF4) {
      int low = first == 0xF0 ? 0x90 : 0x80;
      int high = first == 0xF4 ? 0x8F : 0xBF;
      if (second >= low && second <= high && continues(b, i + 2, to) && continues(b, i + 3, to)) {
        return i + 4;
      }
    }
    throw new JsonException("not UTF-8", i);
  }

  private static boolean continues(byte[] b, int i, int to) {
    return i < to && (b[i] & 0xC0) == 0x80;
  }

  private static int literal(byte[] b, int i, int to, String word) {
    int length = word.length();
    for (int k = 0; k < length; k++) {
      if (i + k >= to || b[i + k] != word.charAt(k)) {
        throw new JsonException("expected a value", i);
      }
    }
    return i + length;
  }

  /** Scans a number; what may follow it is the container's business. */
  static int number(byte[] b, int from, int to) {
    int i = from;
    if (b[i] == '-') {
      i++;
    }
    if (i < to && b[i] == '0') {
      i++;
    } else {
      i = digits(b, i, to, from);
    }
    if (i < to && b[i] == '.') {
      i = digits(b, i + 1, to, from);
    }
    if (i < to && (b[i] | 0x20) == 'e') {
      i++;
      if (i < to && (b[i] == '+' || b[i] == '-')) {
        i++;
      }
      i = digits(b, i, to, from);
    }
    return i;
  }

  private static int digits(byte[] b, int i, int to, int from) {
    int start = i;
    while (i < to && b[i] >= '0' && b[i] <= '9') {
      i++;
    }
    if (i == start) {
      throw new JsonException(i == from ? "expected a value" : "a broken number", from);
    }
    return i;
  }

  /** Skips a value in text that was validated before. */
  static int skip(byte[] b, int i) {
    byte c = b[i];
    if (c == '"') {
      return skipString(b, i);
    }
    if (c != '{' && c != '[') {
      while (i < b.length && isScalarByte(b[i])) {
        i++;
      }
      return i;
    }
    int depth = 0;
    while (true) {
      switch (b[i]) {
        case '"' -> i = skipString(b, i) - 1;
        case '{', '[' -> depth++;
        case '}', ']' -> {
          if (--depth == 0) {
            return i + 1;
          }
        }
        default -> {}
      }
      i++;
    }
  }

  static boolean isScalarByte(byte c) {
    return c > ' ' && c != ',' && c != ']' && c != '}';
  }

  /** Skips a valid string from its opening quote. */
  static int skipString(byte[] b, int i) {
    while (b[++i] != '"') {
      if (b[i] == '\\') {
        i++;
      }
    }
    return i + 1;
  }
}
