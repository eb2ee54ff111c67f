package dev.repartee.mcp.auth;

import dev.repartee.access.Principal;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Verifies access tokens. */
@FunctionalInterface
public interface TokenVerifier {
  /**
   * Verifies that a token was issued by a trusted authorization server, is meant for this server
   * (its audience, RFC 8707), and has not expired. Must not block, and must not log the token. Must
   * be thread-safe.
   *
   * <p>The token of every request without a principal is verified. While its client listens to a
   * stream, the token is verified again every minute.
   *
   * @return a stage of the principal, or of null if the token is not valid. If the stage fails, or
   *     takes longer than {@link dev.repartee.limits.Limits#callTimeout}, requests are answered 503
   *     and streams end
   */
  CompletionStage<@Nullable Principal> verify(String token);
}
