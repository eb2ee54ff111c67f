package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * The connection is gone, so a call has no answer and nothing can be sent: a local failure that never
 * stood on the wire.
 */
public final class DisconnectedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What happened, in a sentence. */
  public DisconnectedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
