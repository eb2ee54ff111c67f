package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A text is not JSON, or a JSON value does not fit the type it was asked for.
 *
 * <p>It carries no stack trace when a scanner throws it: hostile input must stay cheap to refuse.
 */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int offset;

  /** A value that does not fit; the message says what was expected and what stood there. */
  public JsonException(String message) {
    super(message);
    this.offset = -1;
  }

  /** A text that breaks the grammar at that index of the array that is scanned. */
  JsonException(String message, int offset) {
    super(message, null, false, false);
    this.offset = offset;
  }

  /** The same, with the fault behind it, which the peer is not told of; without a stack trace. */
  public JsonException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.offset = -1;
  }

  /** A value that does not fit, as cheap to refuse as a broken text. */
  static JsonException unfit(String message) {
    return new JsonException(message, null);
  }

  /** A value of the wrong kind; its first byte is {@code b[from]}. */
  static JsonException expected(String what, byte[] b, int from) {
    return unfit("expected " + what + ", got " + Json.Kind.of(b[from]).phrase);
  }

  /** The same fault, and in which part of the value it is. */
  JsonException in(String part) {
    return new JsonException(part + ": " + getMessage(), getCause());
  }

  /** What is wrong, after where it is in a text. */
  @Override
  public String getMessage() {
    return inTextFrom(0);
  }

  /** The message, where the text began at that index of the array that was scanned. */
  String inTextFrom(int from) {
    String what = String.valueOf(super.getMessage());
    return offset < 0 ? what : "at offset " + (offset - from) + ": " + what;
  }

  /** Bytes from the start of the text to the fault, or -1 where the text is JSON but does not fit. */
  public int offset() {
    return offset;
  }
}
