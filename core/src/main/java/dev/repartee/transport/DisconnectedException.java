package dev.repartee.transport;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the connection has ended, so that a call gets no answer or nothing can be sent. A
 * local failure; the peer sent no error.
 */
public final class DisconnectedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message the event, in a sentence for people
   * @param cause null if the connection was closed in order
   */
  public DisconnectedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns the exception for a channel on which nothing more can be sent.
   *
   * @param remote the address of the peer
   * @param cause the reason, with a message for people; null if the channel was closed in order
   */
  public static DisconnectedException closed(String remote, @Nullable Throwable cause) {
    String what = "the connection to " + remote + " is closed";
    return new DisconnectedException(
        cause == null ? what : what + ": " + cause.getMessage(), cause);
  }
}
