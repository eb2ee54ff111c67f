package dev.repartee;

/** A call was not answered within its time; it was given up and the peer was told so. */
public final class CallTimeoutException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CallTimeoutException(String message) {
    super(message);
  }
}
