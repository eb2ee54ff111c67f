package dev.repartee;

/**
 * Follows JSON text through its brackets and strings, to see where a value ends; it validates
 * nothing and does not tell one kind of bracket from the other, so that the end of broken text is
 * found, too.
 */
final class Nesting {
  private long depth;
  private boolean string;
  private boolean escape;

  /** Starts over, before a value. */
  void reset() {
    depth = 0;
    string = false;
    escape = false;
  }

  /** Whether the text followed so far ends inside a container or a string. */
  boolean open() {
    return depth > 0 || string;
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
      switch (b[i++]) {
        case '"' -> string = true;
        case '{', '[' -> depth++;
        case '}', ']' -> {
          if (--depth <= 0) {
            depth = 0;
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
