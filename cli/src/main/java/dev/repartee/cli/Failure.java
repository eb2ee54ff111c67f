package dev.repartee.cli;

import java.io.IOException;

/** Ends the command with an exit code and a sentence that names the input and the remedy. */
final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exit;

  Failure(int exit, String sentence) {
    super(sentence, null, false, false);
    this.exit = exit;
  }

  static Failure usage(String sentence) {
    return new Failure(Exit.USAGE, sentence);
  }

  static Failure protocol(String uri, String how) {
    return new Failure(
        Exit.PROTOCOL, uri + " does not keep to JSON-RPC 2.0 (is #framing= right?): " + how);
  }

  /** An attempt at an endpoint; most transports name the attempt themselves, and one time is enough. */
  static Failure endpoint(String attempt, IOException cause) {
    String reason = reason(cause);
    return new Failure(
        Exit.CANNOT_CONNECT, reason.startsWith("cannot ") ? reason : attempt + ": " + reason);
  }

  /** One of {@link Exit}. */
  int exit() {
    return exit;
  }

  /** The sentence. */
  String sentence() {
    return String.valueOf(getMessage());
  }

  /** What an exception says, or its name where it says nothing. */
  static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
  }
}
