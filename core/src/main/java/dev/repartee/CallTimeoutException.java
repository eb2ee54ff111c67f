package dev.repartee;

/**
 * Thrown when a call is not answered within its time-out. The call was given up, and a cancellation
 * was sent to the peer if the call had been sent.
 */
public final class CallTimeoutException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message the call and its time-out, in a sentence
   */
  public CallTimeoutException(String message) {
    super(message);
  }
}
