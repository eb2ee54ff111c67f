package dev.repartee.mcp;

/**
 * Fails a call of a tool in a way that the model should know of: its message is told, as a result with
 * {@code isError}, in words that a model can act on.
 */
public final class ToolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure in words for a model. */
  public ToolException(String message) {
    super(message);
  }
}
