package dev.repartee.acp;

/**
 * Reports that the running {@link Turn} is cancelled. An agent need not catch it, because the
 * answer to a cancelled prompt is always the stop reason {@code cancelled}.
 */
public final class TurnCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public TurnCancelledException() {
    super("the client has cancelled the turn");
  }
}
