package dev.repartee.access;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Determines the principal of a caller. {@link Access.Builder#authenticator} sets the authenticator
 * of a server. The server asks it
 *
 * <ul>
 *   <li>for each HTTP request and WebSocket handshake, before the body is read,
 *   <li>for each message of a broker,
 *   <li>for each connection of another transport, before its first message is read.
 * </ul>
 *
 * <p>The module {@code dev.repartee.security} has authenticators for passwords, keys, tokens and
 * certificates. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface Authenticator {
  /**
   * Authenticates a caller. Runs on a thread that reads connections, and must not block: a check
   * that takes longer than a millisecond, or that waits, completes the stage on another thread. The
   * server waits for {@link dev.repartee.limits.Limits#callTimeout} at most; it does not cancel the
   * stage, which may belong to several callers. The thread that completes the stage may open the
   * connection, or run inline handlers of a message.
   *
   * @return a stage of the principal; of null if there are no credentials of the kind that this
   *     authenticator checks. If the stage fails with an {@link AccessException}, the caller is
   *     refused with it; with any other exception, the caller is refused with status 503 and the
   *     {@link dev.repartee.Listener} is notified
   */
  CompletionStage<@Nullable Principal> authenticate(Credentials credentials);

  /**
   * Returns the challenges for a caller without credentials, one for each {@code WWW-Authenticate}
   * field (RFC 9110 section 11.6.1), such as {@code Basic realm="repartee"}. Empty by default.
   */
  default List<String> challenges() {
    return List.of();
  }
}
