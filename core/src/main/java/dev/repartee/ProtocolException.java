package dev.repartee;

/** Reports that the peer has sent a message that breaks the protocol. */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message the violation, in a sentence
   */
  public ProtocolException(String message) {
    super(message);
  }
}
