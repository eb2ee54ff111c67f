package dev.repartee;

/**
 * Follows JSON text through its brackets and strings, to see where a value ends. It does not
 * validate: a value ends where as many brackets were closed as opened, so that the end of broken text
 * is found, too; but it notices brackets that do not match.
 */
final class Nesting {
  /** Deeper than this the kinds of brackets are not kept, and count as not matching. */
  private static final int KINDS = 64 * 8;

  /** One bit a level: whether the bracket at that depth is that of an object. */
  private final long[] objects = new long[KINDS / 64];

  private long depth;
  private boolean mismatched;
  private boolean string;
  private boolean escape;

  /** Starts over, before a value. */
  void reset() {
    depth = 0;
    mismatched = false;
    string = false;
    escape = false;
  }

  /** Whether the text followed so far ends inside a container or a string. */
  boolean open() {
    return depth > 0 || string;
  }

  /** Whether it ends inside a string. */
  boolean inString() {
    return string;
  }

  /** Whether it has closed a bracket with one of the other kind, or nests too deep to tell. */
  boolean mismatched() {
    return mismatched;
  }

  private void opened(byte bracket) {
    if (depth >= KINDS) {
      mismatched = true;
    } else if (bracket == '{') {
      objects[(int) depth >> 6] |= 1L << depth;
    } else {
      objects[(int) depth >> 6] &= ~(1L << depth);
    }
    depth++;
  }

  private void closed(byte bracket) {
    if (depth == 0) {
      mismatched = true;
    } else if (--depth < KINDS) {
      boolean object = (objects[(int) depth >> 6] & 1L << depth) != 0;
      mismatched |= object != (bracket == '}');
    }
  }

  /**
   * Follows the text on, at most to the byte that closes the outermost container or string.
   *
   * @return the index behind that byte, or {@code to}; {@link #open} tells the two apart
   */
  int follow(byte[] b, int from, int to) {
    int i = from;
    while (i < to) {
      if (string) {
        i = string(b, i, to);
        if (!open()) {
          return i;
        }
        continue;
      }
      byte c = b[i++];
      switch (c) {
        case '"' -> string = true;
        case '{', '[' -> opened(c);
        case '}', ']' -> {
          closed(c);
          if (depth == 0) {
            return i;
          }
        }
        default -> {}
      }
    }
    return i;
  }

  /** Follows a string to behind its closing quote, or to {@code to}. */
  private int string(byte[] b, int from, int to) {
    int i = from;
    if (escape) {
      escape = false;
      i++;
    }
    while (true) {
      i = Bytes.find(b, i, to, '"', '\\');
      if (i == to) {
        return to;
      }
      if (b[i] == '"') {
        string = false;
        return i + 1;
      }
      if (i + 1 == to) {
        escape = true;
        return to;
      }
      i += 2;
    }
  }
}
