package dev.repartee;

import dev.repartee.reconnect.Reconnecting;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call is not answered within its time-out. The call has ended. If it had been sent,
 * a cancellation was sent to the peer, unless the dialect has none or the end of the HTTP request
 * cancels the call.
 */
public final class CallTimeoutException extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final @Nullable String unsent;

  /**
   * Creates an exception.
   *
   * @param message the call and its time-out, in a sentence
   */
  public CallTimeoutException(String message) {
    this(message, null);
  }

  private CallTimeoutException(String message, @Nullable String unsent) {
    super(message);
    this.unsent = unsent;
  }

  /**
   * Returns the exception for a call that was certainly not handled, because it was not sent.
   *
   * @param message the call and its time-out, in a sentence
   * @param reason see {@link #unsent()}
   */
  static CallTimeoutException unsent(String message, String reason) {
    return new CallTimeoutException(message, reason);
  }

  /**
   * Returns the reason why the call was certainly not handled; see {@link
   * ReparteeException#unsent}. Known for calls that waited for a connection of {@link Reconnecting},
   * in a layer, or in a {@link Batch} that was not sent.
   */
  @Override
  public @Nullable String unsent() {
    return unsent;
  }
}
