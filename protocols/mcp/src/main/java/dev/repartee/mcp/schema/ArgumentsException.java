package dev.repartee.mcp.schema;

/**
 * Reports arguments that do not match the schema of a tool. Becomes a result with {@code isError},
 * or an error -32602 before 2025-11-25.
 */
public final class ArgumentsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ArgumentsException(String message) {
    super(message, null, false, false); // no stack trace: hostile input must be cheap
  }
}
