package dev.repartee;

/**
 * Reports that the peer has sent a message that breaks the protocol, or something other than a
 * message.
 */
public sealed class ProtocolException extends ReparteeException permits HttpException {
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
