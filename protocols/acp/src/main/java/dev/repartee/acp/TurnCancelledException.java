package dev.repartee.acp;

/**
 * Reports that the client has cancelled the running {@link Turn}. An agent lets it pass: the prompt
 * is then answered with the stop reason {@code cancelled}, also if the agent returns or throws
 * something else.
 */
public final class TurnCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TurnCancelledException() {
    super("the client has cancelled the turn");
  }
}
