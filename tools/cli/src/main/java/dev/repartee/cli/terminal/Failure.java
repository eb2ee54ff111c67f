package dev.repartee.cli.terminal;

import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.framing.Framing;
import dev.repartee.json.JsonException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A failure of the command: an exit code and a sentence that names the input and the remedy. Any
 * method of the command may throw it; it ends the command.
 */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The HTTP statuses of servers that refuse a caller, or that it has to wait after failures. */
  private static final Set<Integer> REFUSALS = Set.of(401, 403, 429);

  private final int exit;

  public Failure(int exit, String sentence) {
    super(sentence, null, false, false);
    this.exit = exit;
  }

  public static Failure usage(String sentence) {
    return new Failure(Exit.USAGE, sentence);
  }

  /** Returns the failure of a peer that has answered with an error, or refused the request. */
  public static Failure refusal(String sentence) {
    return new Failure(Exit.ERROR_RESPONSE, sentence);
  }

  public static Failure cannotConnect(String sentence) {
    return new Failure(Exit.CANNOT_CONNECT, sentence);
  }

  public static Failure lost(String sentence) {
    return new Failure(Exit.LOST, sentence);
  }

  /**
   * Returns the failure of a peer that broke the protocol. If its answer has the id of the call,
   * the framing is right, and the sentence does not suggest another framing.
   */
  public static Failure protocol(String uri, String how) {
    String server = Endpoint.shown(uri.replaceFirst("#.*", ""));
    if (how.startsWith(server + " answered with ")) {
      return new Failure(Exit.PROTOCOL, how); // an HTTP response, which names the URI itself
    }
    String what = FramingHint.applies(uri)
            && !how.contains("is no response: ")
            && !how.contains(" speaks HTTP")
        ? " violates " + FramingHint.protocol(uri) + " (" + framing(uri, how) + "): "
        : " does not answer with " + FramingHint.protocol(uri) + ": ";
    return new Failure(Exit.PROTOCOL, Endpoint.shown(uri) + what + how);
  }

  /** Returns the sentence about bytes of a peer that are not a frame. */
  public static String notAFrame(String uri, String reason) {
    String hint = FramingHint.applies(uri) ? " (" + framing(uri, reason) + ")" : "";
    return Endpoint.shown(uri) + " sent bytes that are not a frame" + hint + ": " + reason;
  }

  /** Returns the framing that the input in the reason matches, or a question about the framing. */
  private static String framing(String uri, String reason) {
    Framing fitting = FramingHint.fitting(uri, reason);
    return fitting == null
        ? "is #framing= right?"
        : "its input fits #framing=" + fitting.label() + " after the URI";
  }

  /**
   * Returns the failure of a request that an HTTP server has refused because of its credentials, or
   * because the server is not available. The call did not run, as after a failure to connect. Null
   * for any other cause.
   */
  private static @Nullable Failure notAdmitted(@Nullable Throwable cause) {
    return cause instanceof HttpException answer
            && (REFUSALS.contains(answer.status()) || answer.unsent() != null)
        ? cannotConnect(reason(answer)) // names the server
        : null;
  }

  /** Returns the failure of a message that could not be sent. */
  public static Failure refused(String uri, Throwable cause) {
    Failure refusal = notAdmitted(cause);
    if (refusal != null) {
      return refusal;
    }
    return cause instanceof ProtocolException
        ? protocol(uri, reason(cause))
        : lost(Endpoint.shown(uri) + " did not accept the message: " + reason(cause));
  }

  /**
   * Returns the failure of a call without a response.
   *
   * @param timeout the time limit of the call, for the sentence
   * @param cause the exception that ended the call
   * @param violation the first protocol violation of the peer, which explains the missing response
   *     better than {@code cause}; or null
   * @param heard whether the peer has sent any message
   */
  public static Failure unanswered(
      String method,
      String uri,
      Duration timeout,
      RuntimeException cause,
      @Nullable String violation,
      boolean heard) {
    Failure refusal = notAdmitted(cause);
    if (refusal != null) {
      return refusal;
    }
    if (isBroken(cause) || isBroken(cause.getCause())) {
      return protocol(uri, reason(cause));
    }
    if (violation != null) {
      return protocol(uri, violation);
    }
    if (ReparteeException.isUnsent(cause)) {
      return cannotConnect(
          "'" + method + "' was not run by " + Endpoint.shown(uri) + ": " + reason(cause));
    }
    if (cause instanceof CallTimeoutException) {
      return lost("no answer to '" + method + "' from " + Endpoint.shown(uri) + " within "
          + timeout.toMillis() + " ms" + late(uri, heard));
    }
    return lost("the connection to " + Endpoint.shown(uri) + " ended before the answer to '"
        + method + "': " + reason(cause));
  }

  /** Returns the remedy for a missing answer, with a semicolon before it. */
  public static String late(String uri, boolean heard) {
    return heard || !FramingHint.applies(uri)
        ? "; raise the limit with --timeout"
        : FramingHint.ofSilence(uri);
  }

  private static boolean isBroken(@Nullable Throwable cause) {
    return cause instanceof ProtocolException || cause instanceof JsonException;
  }

  /**
   * Returns the failure to connect or to listen.
   *
   * @param attempt the action that failed. It is left out if the message of {@code cause} names the
   *     action already; the messages of most transports do ("cannot ...").
   */
  public static Failure endpoint(String attempt, IOException cause) {
    String reason = reason(cause);
    return cannotConnect(reason.startsWith("cannot ") ? reason : attempt + ": " + reason);
  }

  /** Returns the exit code, one of {@link Exit}. */
  public int exit() {
    return exit;
  }

  /** Returns the sentence, without the prefix {@code repartee: }. */
  public String sentence() {
    return String.valueOf(getMessage());
  }

  /**
   * Returns the message of an exception, or the name of its class if it has no message. Replaces
   * the messages of two exceptions of files, which are a number and the name of the file.
   */
  public static String reason(Throwable cause) {
    if (cause instanceof CharacterCodingException) {
      return "its text is not UTF-8";
    }
    if (cause instanceof AccessDeniedException) {
      return "permission denied";
    }
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
  }
}
