package dev.repartee.framing;

import dev.repartee.internal.Bytes;

/**
 * A scanner that finds the end of a JSON value by counting brackets outside of strings. It does not
 * validate the text, and also finds the end of invalid text: a value ends when as many brackets
 * were closed as opened. It detects brackets that do not match. For one thread.
 */
final class ValueScanner {
  /** The depth to which the kinds of brackets are recorded; deeper ones count as not matching. */
  private static final int KINDS = 64 * 8;

  /** One bit for each depth: whether the bracket there opened an object. */
  private final long[] objects = new long[KINDS / 64];

  private long depth;
  private boolean mismatched;
  private boolean string;
  private boolean escape;

  /** Starts again before a value. */
  void reset() {
    depth = 0;
    mismatched = false;
    string = false;
    escape = false;
  }

  /** Returns whether the text scanned so far ends inside a container or a string. */
  boolean open() {
    return depth > 0 || string;
  }

  /** Returns whether the text scanned so far ends inside a string. */
  boolean inString() {
    return string;
  }

  /** Returns whether brackets did not match, or were nested too deep to be compared. */
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
   * Scans on, at most to the byte that closes the outermost container or string.
   *
   * @return the index after that byte, or {@code to}; {@link #open} distinguishes the two
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

  /** Scans a string; returns the index after its closing quote, or {@code to}. */
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
