package dev.repartee.mcp;

/** Arguments of a tool that do not fit, and which; told as the revision has it. */
final class ArgumentsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ArgumentsException(String message) {
    super(message, null, false, false); // hostile input must stay cheap to refuse
  }
}
