package dev.repartee;

/** The peer broke the protocol: what it sent is not what the specification allows. */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What it did, in a sentence. */
  public ProtocolException(String message) {
    super(message);
  }
}
