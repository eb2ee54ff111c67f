package dev.repartee.json;

import dev.repartee.internal.Bytes;
import dev.repartee.internal.Text;
import java.util.Arrays;

/**
 * Validates JSON text by the grammar of RFC 8259, in one pass and without building a tree. The
 * bytes must be UTF-8 (RFC 8259 section 8.1).
 *
 * <p>The parameter of a method is the index of the first byte of an element, and its result the
 * index after the last byte; {@code to} is the end of the text. Methods throw a {@link
 * JsonException} with the index of the error. The methods that scan whole values ({@link #text},
 * {@link #value}, {@link #string}) keep state in this object, which can be reused but not shared
 * between threads.
 */
public final class JsonScanner {
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  /** The length of a UTF-8 byte order mark, which some programs write before a text. */
  public static final int MARK = 3;

  private static final byte[] MARK_BYTES = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final int maxDepth;

  /**
   * One bit for each level of nesting: set if the open container at that level is an object, clear
   * if it is an array. Grows with the depth limit and not with the text: hostile input cannot make
   * it larger.
   */
  private final long[] objects;

  /** Whether the string scanned last contains an escape. */
  private boolean escaped;

  /**
   * Creates a scanner.
   *
   * @param maxDepth the number of arrays and objects that may be nested in each other
   */
  public JsonScanner(int maxDepth) {
    this.maxDepth = maxDepth;
    this.objects = new long[(maxDepth >> 6) + 1];
  }

  /** Returns whether the string that was scanned last contains an escape. */
  public boolean hasEscape() {
    return escaped;
  }

  /** Skips white space. */
  public static int space(byte[] b, int i, int to) {
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
   * Returns the index where a message begins: after white space, and after at most one byte order
   * mark, which RFC 8259 section 8.1 lets a parser ignore.
   */
  public static int start(byte[] b, int from, int to) {
    int i = space(b, from, to);
    return i < to && b[i] < 0 && marked(b, i, to) == MARK ? space(b, i + MARK, to) : i;
  }

  /**
   * Returns how many bytes at the start of {@code b[from, to)} belong to a byte order mark: 3 for a
   * whole mark, 0 for none, and 1 or 2 where the text is shorter and ends inside the mark.
   */
  public static int marked(byte[] b, int from, int to) {
    int length = Math.min(MARK, to - from);
    return Arrays.equals(b, from, from + length, MARK_BYTES, 0, length) ? length : 0;
  }

  /**
   * Validates that {@code b[from, to)} is exactly one value, with optional white space around it.
   */
  public void text(byte[] b, int from, int to) {
    int end = space(b, value(b, space(b, from, to), to, 0), to);
    if (end != to) {
      throw new JsonException("text after the value", end);
    }
  }

  // A container is scanned by a loop over its elements or members:
  //
  //   int i = first(b, from, to, ']');
  //   while (i >= 0) {
  //     int end = value(b, i, to, depth);
  //     i = next(b, end, to, ']');
  //   }
  //   return ~i;
  //
  // The sign of one number distinguishes an element from the end of the container, as in
  // Arrays.binarySearch. Both methods are static, are inlined and write no memory. A callback for
  // each element would be a call that cannot be inlined: every container has another one.

  /**
   * Scans the start of a container.
   *
   * @param from the index of its opening bracket
   * @return the index at which its first element should start; {@code ~end} if the container is
   *     empty and ends before the index {@code end}
   */
  public static int first(byte[] b, int from, int to, char close) {
    int i = space(b, from + 1, to);
    return i < to && b[i] == close ? ~(i + 1) : i;
  }

  /**
   * Scans the text after an element of a container: a comma, or the closing bracket.
   *
   * @param i the index after the element
   * @return the index at which the next element should start; {@code ~end} if there is none and the
   *     container ends before the index {@code end}
   */
  public static int next(byte[] b, int i, int to, char close) {
    i = space(b, i, to);
    if (i < to && b[i] == ',') {
      return space(b, i + 1, to);
    }
    if (i < to && b[i] == close) {
      return ~(i + 1);
    }
    throw new JsonException("expected ',' or '" + close + "'", i);
  }

  /**
   * Scans the value at {@code i}, which must not be white space, and returns the index after it.
   *
   * <p>The method loops instead of calling itself, so that nesting costs no stack: the only memory
   * of a level is one bit in {@link #objects}. A stack overflow would depend on the thread; the
   * depth limit does not.
   *
   * <p>At the top of the outer loop a value is expected at {@code i}, and {@code level} is the
   * number of open containers around it. A scalar or an empty container is scanned as a whole;
   * after the opening of any other container the loop continues with its first value. The inner
   * loop runs after each complete value. It closes containers until one has another value, and then
   * the outer loop scans that value. {@code level == depth} after a complete value means that the
   * value which the caller asked for is complete. Thus {@code level >= depth} always holds, and the
   * bits of the levels from {@code depth + 1} to {@code level} are valid. Every step of either loop
   * consumes at least one byte: the time is linear.
   *
   * <p>A shorter form has one loop in which a negative {@code i} marks the end of a value, as it
   * does for {@link #next}. It needs a seventh more time for nested arrays.
   *
   * @param depth the number of containers around the value, counted against the depth limit
   */
  public int value(byte[] b, int i, int to, int depth) {
    int level = depth;
    while (true) {
      if (i >= to) {
        throw new JsonException("the text ends where a value is expected", i);
      }
      switch (b[i]) {
        case '{' -> {
          push(++level, true, i);
          i = first(b, i, to, '}');
          if (i >= 0) {
            i = key(b, i, to);
            continue; // with the value of the first member
          }
          i = ~i;
          level--;
        }
        case '[' -> {
          push(++level, false, i);
          i = first(b, i, to, ']');
          if (i >= 0) {
            continue; // with the first element
          }
          i = ~i;
          level--;
        }
        case '"' -> i = string(b, i + 1, to);
        case 't' -> i = literal(b, i, to, "true");
        case 'f' -> i = literal(b, i, to, "false");
        case 'n' -> i = literal(b, i, to, "null");
        default -> i = number(b, i, to);
      }
      // A value ends before i.
      while (true) {
        if (level == depth) {
          return i;
        }
        boolean object = isObject(level);
        i = nested(b, i, to, object ? '}' : ']');
        if (i >= 0) {
          i = object ? key(b, i, to) : i;
          break;
        }
        i = ~i;
        level--;
      }
    }
  }

  /** Does the same as {@link #next}, with another sentence where the text ends. */
  private static int nested(byte[] b, int i, int to, char close) {
    i = space(b, i, to);
    if (i >= to) {
      throw new JsonException("the text ends inside an object or array", i);
    }
    return next(b, i, to, close);
  }

  /** Refuses to go deeper than the limit. */
  public void enter(int level, int i) {
    if (level > maxDepth) {
      throw JsonException.tooDeep(maxDepth, i);
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

  /** Scans a member name and the colon after it; returns the index of the value. */
  private int key(byte[] b, int i, int to) {
    return colon(b, string(b, quote(b, i, to), to), to);
  }

  /** Scans the opening quote of a member name. */
  public static int quote(byte[] b, int i, int to) {
    if (i >= to || b[i] != '"') {
      throw new JsonException("expected a member name in quotes", i);
    }
    return i + 1;
  }

  /** Scans the colon after a member name and the white space around it. */
  public static int colon(byte[] b, int i, int to) {
    i = space(b, i, to);
    if (i >= to || b[i] != ':') {
      throw new JsonException("expected ':' after a member name", i);
    }
    return space(b, i + 1, to);
  }

  /**
   * Scans a string from the index after its opening quote, and returns the index after its closing
   * quote.
   *
   * <p>Plain ASCII is scanned eight bytes at a time; a byte that ends a run of plain text is
   * handled alone.
   */
  public int string(byte[] b, int i, int to) {
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

  /**
   * Returns a word with the high bit set in the first byte of {@code word} (in memory order) that
   * is not plain text: a quote, a backslash, a control character or a non-ASCII byte. Zero if all
   * eight bytes are plain. Marks after the first one may be wrong, because the tests for zero bytes
   * borrow from higher bytes; only the first is used.
   */
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
          if (i + 6 <= to
              && (Text.hex(b[i + 2]) | Text.hex(b[i + 3]) | Text.hex(b[i + 4]) | Text.hex(b[i + 5]))
                  >= 0) {
            return i + 6;
          }
        }
        default -> {}
      }
    }
    throw new JsonException("a broken escape inside a string", i);
  }

  /**
   * Scans one multi-byte UTF-8 sequence of two to four bytes: shortest form only, no surrogates, at
   * most U+10FFFF (RFC 3629 section 4).
   */
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

  /** Scans a number. The caller checks the byte that follows. */
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

  /**
   * Skips a value in text that was validated before; only for valid text, since it checks no bounds
   * inside strings and containers.
   */
  public static int skip(byte[] b, int i) {
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

  /** Skips a string in valid text, starting at its opening quote. */
  public static int skipString(byte[] b, int i) {
    i = Bytes.find(b, i + 1, b.length, '"', '\\');
    while (b[i] != '"') {
      i = Bytes.find(b, i + 2, b.length, '"', '\\');
    }
    return i + 1;
  }
}
