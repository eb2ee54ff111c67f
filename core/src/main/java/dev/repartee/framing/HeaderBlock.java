package dev.repartee.framing;

import dev.repartee.internal.Bytes;
import org.jspecify.annotations.Nullable;

/** The header lines before one message. Reused for each message. */
final class HeaderBlock {
  private static final long NONE = -1;

  private long length;
  private @Nullable String flaw;
  private @Nullable String shown;
  private @Nullable String charset;

  HeaderBlock() {
    reset();
  }

  /** Starts a new header block. */
  void reset() {
    length = NONE;
    flaw = null;
    shown = null;
    charset = null;
  }

  /** Returns the length of the body; {@code Long.MAX_VALUE} if it does not fit into a long. */
  long length() {
    return length;
  }

  /** Returns the reason why the length of the body is not known; null if it is known. */
  @Nullable String flaw() {
    return flaw == null && length == NONE
        ? "a header without Content-Length; send the number of bytes in the body"
        : flaw;
  }

  /** Returns the input that the flaw is about, for the log of this side; null if none. */
  @Nullable String shown() {
    return shown;
  }

  /** Returns the charset of the body if it is not UTF-8, else null. */
  @Nullable String charset() {
    return charset;
  }

  /**
   * Returns the index of the colon after a well-formed header name; {@code to} if there is none. A
   * name contains no quote; this distinguishes a header from a line of JSON.
   */
  static int colon(byte[] b, int from, int to) {
    int i = from;
    while (i < to && b[i] > ' ' && b[i] < 0x7F && b[i] != ':' && b[i] != '"') {
      i++;
    }
    return i > from && i < to && b[i] == ':' ? i : to;
  }

  /** Returns whether the name is a header that only HTTP clients send. */
  static boolean isOfHttp(byte[] b, int from, int colon) {
    return Bytes.isIgnoringCase(b, from, colon, "host")
        || Bytes.isIgnoringCase(b, from, colon, "origin");
  }

  /** Adds a header: its name is {@code b[from, colon)}, its value ends at {@code to}. */
  void header(byte[] b, int from, int colon, int to) {
    if (Bytes.isIgnoringCase(b, from, colon, "content-length")) {
      contentLength(b, blanks(b, colon + 1, to), withoutBlanks(b, colon + 1, to));
    } else if (Bytes.isIgnoringCase(b, from, colon, "content-type")) {
      contentType(b, colon + 1, to);
    }
  }

  private void contentLength(byte[] b, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = b[i] - '0';
      if (digit < 0 || digit > 9) {
        value = NONE;
        break;
      }
      value = value > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : value * 10 + digit;
    }
    if (from >= to || value == NONE) {
      flaw = "Content-Length has to be the number of bytes in the body, in decimal digits";
      shown = Bytes.excerpt(b, from, Math.max(from, to));
    } else if (length != NONE && length != value) {
      flaw = "two Content-Length headers differ; send one";
    } else {
      length = value;
    }
  }

  /** Reads the parameter {@code ;charset=value}; the value may be in quotes. */
  private void contentType(byte[] b, int from, int to) {
    int i = Bytes.find(b, from, to, ';');
    while (i < to) {
      int start = blanks(b, i + 1, to);
      i = Bytes.find(b, start, to, ';');
      int equals = Bytes.find(b, start, i, '=');
      if (Bytes.isIgnoringCase(b, start, equals, "charset")) {
        charset(b, blanks(b, equals + 1, i), withoutBlanks(b, equals + 1, i));
      }
    }
  }

  private void charset(byte[] b, int from, int to) {
    boolean quoted = to - from >= 2 && b[from] == '"' && b[to - 1] == '"';
    int start = quoted ? from + 1 : from;
    int end = quoted ? to - 1 : to;
    if (!Bytes.isIgnoringCase(b, start, end, "utf-8")
        && !Bytes.isIgnoringCase(b, start, end, "utf8")) {
      charset = Bytes.excerpt(b, start, Math.max(start, end));
    }
  }

  private static int blanks(byte[] b, int from, int to) {
    int i = from;
    while (i < to && isBlank(b[i])) {
      i++;
    }
    return i;
  }

  private static int withoutBlanks(byte[] b, int from, int to) {
    int i = to;
    while (i > from && isBlank(b[i - 1])) {
      i--;
    }
    return i;
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t';
  }
}
