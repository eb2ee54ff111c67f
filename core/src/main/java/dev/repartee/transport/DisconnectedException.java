package dev.repartee.transport;

import dev.repartee.ReparteeException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the connection has ended, so that a call gets no answer or nothing can be sent. A
 * local failure; the peer sent no error.
 */
public final class DisconnectedException extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final @Nullable String unsent;

  /**
   * Creates an exception.
   *
   * @param message the event, in a sentence for people
   * @param cause null if the connection was closed in order
   */
  public DisconnectedException(String message, @Nullable Throwable cause) {
    this(message, null, cause);
  }

  private DisconnectedException(
      String message, @Nullable String unsent, @Nullable Throwable cause) {
    super(message, cause);
    this.unsent = unsent;
  }

  /**
   * Returns the exception for a message that was certainly not handled: it was not sent, or had no
   * receiver.
   *
   * @param message the event, in a sentence for people
   * @param reason see {@link #unsent()}
   * @param cause null if there is none
   */
  public static DisconnectedException unsent(
      String message, String reason, @Nullable Throwable cause) {
    return new DisconnectedException(message, reason, cause);
  }

  /**
   * Returns the exception for a channel that can send nothing more.
   *
   * @param remote the address of the peer
   * @param cause the reason, with a message for people; null if the channel was closed in order
   */
  public static DisconnectedException closed(String remote, @Nullable Throwable cause) {
    String what = "the connection to " + remote + " is closed";
    return new DisconnectedException(
        cause == null ? what : what + ": " + cause.getMessage(), cause);
  }

  @Override
  public @Nullable String unsent() {
    return unsent;
  }
}
