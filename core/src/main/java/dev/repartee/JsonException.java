package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A text is not JSON, or a JSON value does not fit the type it was asked for.
 *
 * <p>It carries no stack trace when a scanner throws it: hostile input must stay cheap to refuse.
 */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The longest message that tells every part. */
  private static final int MOST = 500;

  private final int offset;

  /** The message without the parts that the fault is in; null for one that is in none. */
  private final @Nullable String innermost;

  /** A value that does not fit; the message says what was expected and what stood there. */
  public JsonException(String message) {
    super(message);
    this.offset = -1;
    this.innermost = null;
  }

  /** A text that breaks the grammar at that index of the array that is scanned. */
  JsonException(String message, int offset) {
    super(message, null, false, false);
    this.offset = offset;
    this.innermost = null;
  }

  /** The same, with the fault behind it, which the peer is not told of; without a stack trace. */
  public JsonException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.offset = -1;
    this.innermost = null;
  }

  private JsonException(String message, @Nullable Throwable cause, String innermost) {
    super(message, cause, false, false);
    this.offset = -1;
    this.innermost = innermost;
  }

  /** A value that does not fit, as cheap to refuse as a broken text. */
  static JsonException unfit(String message) {
    return new JsonException(message, null);
  }

  /** A value of the wrong kind; its first byte is {@code b[from]}. */
  static JsonException expected(String what, byte[] b, int from) {
    return unfit("expected " + what + ", got " + Json.Kind.of(b[from]).phrase);
  }

  /**
   * Returns the same fault, and in which part of the value it is. Of a place that is far inside the parts
   * in the middle are left out: their names would be copied again for each level, and then told.
   */
  JsonException in(String part) {
    String fault = innermost == null ? getMessage() : innermost;
    String message = part + ": " + getMessage();
    return new JsonException(
        message.length() <= MOST ? message : part + ": ...: " + fault, getCause(), fault);
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
