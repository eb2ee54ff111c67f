package dev.repartee.cli;

import dev.repartee.CallTimeoutException;
import dev.repartee.JsonException;
import dev.repartee.ProtocolException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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
    String what = isMessages(uri)
        ? " does not answer with JSON-RPC 2.0: "
        : " does not keep to JSON-RPC 2.0 (is #framing= right?): ";
    return new Failure(Exit.PROTOCOL, uri + what + how);
  }

  /** Whether the endpoint carries messages rather than bytes that a framing divides. */
  private static boolean isMessages(String uri) {
    return uri.matches("(?i)(http|ws)s?:.*");
  }

  /** What was said did not arrive, for that reason. */
  static Failure refused(String uri, RuntimeException cause) {
    return cause instanceof ProtocolException
        ? protocol(uri, reason(cause))
        : new Failure(Exit.LOST, uri + " did not take what was sent: " + reason(cause));
  }

  /**
   * Why there is no answer to a call.
   *
   * @param violation what the peer said that is not the protocol, which explains the silence after it;
   *     null for nothing
   */
  static Failure unanswered(
      String method,
      String uri,
      Duration timeout,
      RuntimeException cause,
      @Nullable String violation) {
    if (isBroken(cause) || isBroken(cause.getCause())) {
      return protocol(uri, reason(cause));
    }
    if (violation != null) {
      return protocol(uri, violation);
    }
    if (cause instanceof CallTimeoutException) {
      return new Failure(
          Exit.LOST,
          "no answer to '" + method + "' from " + uri + " within " + timeout.toMillis()
              + " ms; --timeout gives it longer");
    }
    return new Failure(
        Exit.LOST,
        "the connection to " + uri + " ended before the answer to '" + method + "': "
            + reason(cause));
  }

  private static boolean isBroken(@Nullable Throwable cause) {
    return cause instanceof ProtocolException || cause instanceof JsonException;
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
