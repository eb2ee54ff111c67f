package dev.repartee.mcp.types;

/**
 * Fails a tool call with a message for the model. The call is answered with a result with {@code
 * isError}. In a handler of a prompt or a resource it becomes an error -32602 with that message.
 */
public final class ToolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception; the message should explain the failure so that a model can act on it. */
  public ToolException(String message) {
    super(message);
  }
}
