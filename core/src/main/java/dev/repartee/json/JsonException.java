package dev.repartee.json;

import dev.repartee.ReparteeException;
import dev.repartee.limits.LimitException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a text is not JSON, or that a JSON value does not fit a Java type.
 *
 * <p>The exceptions of core's scanner and types carry no stack trace, which makes hostile input
 * cheap to refuse.
 */
public final class JsonException extends ReparteeException {
  private static final long serialVersionUID = 1;

  /** The length in characters up to which a message names every enclosing part, see {@link #in}. */
  private static final int MOST = 500;

  private final int offset;

  /** The limit of the depth if the text exceeds it; 0 otherwise. */
  private final int depth;

  /** The message without the enclosing parts; null until {@link #in} has added one. */
  private final @Nullable String innermost;

  /**
   * Creates an exception for a value that does not fit a type.
   *
   * @param message the expected form and the form that was found
   */
  public JsonException(String message) {
    super(message);
    this.offset = -1;
    this.depth = 0;
    this.innermost = null;
  }

  /** Creates an exception for a text that breaks the grammar at this index of the scanned array. */
  public JsonException(String message, int offset) {
    this(message, offset, 0);
  }

  private JsonException(String message, int offset, int depth) {
    super(message, null, false, false);
    this.offset = offset;
    this.depth = depth;
    this.innermost = null;
  }

  /** Returns the exception for a text that exceeds the limit of the depth at this index. */
  static JsonException tooDeep(int depth, int offset) {
    return new JsonException(
        "nested deeper than the limit depth of " + depth + " allows", offset, depth);
  }

  /**
   * Creates an exception for a value that does not fit a type, without a stack trace.
   *
   * @param message the expected form and the form that was found
   * @param cause the underlying failure, which is not sent to the peer, or null
   */
  public JsonException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.offset = -1;
    this.depth = 0;
    this.innermost = null;
  }

  private JsonException(String message, @Nullable Throwable cause, String innermost) {
    super(message, cause, false, false);
    this.offset = -1;
    this.depth = 0;
    this.innermost = innermost;
  }

  /** Returns an exception without a stack trace for a value that does not fit a type. */
  static JsonException unfit(String message) {
    return new JsonException(message, null);
  }

  /** Returns an exception for a value of the wrong kind, which starts with {@code b[from]}. */
  static JsonException expected(String what, byte[] b, int from) {
    return unfit("expected " + what + ", got " + Json.Kind.of(b[from]).phrase());
  }

  /**
   * Returns this exception with the enclosing part of the value added in front of its message, such
   * as {@code element 3}. In a long message the parts in the middle are left out: otherwise each
   * level of nesting would copy all names below it once more.
   */
  public JsonException in(String part) {
    String fault = innermost == null ? getMessage() : innermost;
    String message = part + ": " + getMessage();
    return new JsonException(
        message.length() <= MOST ? message : part + ": ...: " + fault, getCause(), fault);
  }

  /** Returns the fault, with its offset in front if the text is not JSON. */
  @Override
  public String getMessage() {
    return inTextFrom(0);
  }

  /** Returns the message for a text that starts at this index of the scanned array. */
  public String inTextFrom(int from) {
    String fault = String.valueOf(super.getMessage());
    return offset < 0 ? fault : "at offset " + (offset - from) + ": " + fault;
  }

  /** Returns the limit that the text exceeds; null if it breaks no limit. */
  public @Nullable LimitException limit() {
    return depth == 0 ? null : new LimitException("depth", depth);
  }

  /**
   * Returns the number of bytes from the start of the text to the fault, or -1 if the text is valid
   * JSON that does not fit a type.
   */
  public int offset() {
    return offset;
  }
}
