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

  /**
   * That nothing more can be sent on a channel.
   *
   * @param remote the other end
   * @param cause why, in a message for people; null where it was closed in order
   */
  public static DisconnectedException closed(String remote, @Nullable Throwable cause) {
    String what = "the connection to " + remote + " is closed";
    return new DisconnectedException(
        cause == null ? what : what + ": " + cause.getMessage(), cause);
  }
}
