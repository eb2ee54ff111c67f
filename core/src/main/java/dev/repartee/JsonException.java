package dev.repartee;

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

  /** A text that breaks the grammar at {@code offset} bytes from its start. */
  JsonException(String message, int offset) {
    super(message + " at byte " + offset, null, false, false);
    this.offset = offset;
  }

  /** Bytes from the start of the text to the fault, or -1 where the text is JSON but does not fit. */
  public int offset() {
    return offset;
  }
}
