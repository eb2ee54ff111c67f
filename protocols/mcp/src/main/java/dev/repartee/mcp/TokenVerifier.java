package dev.repartee.mcp;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Tells whose an access token is. */
@FunctionalInterface
public interface TokenVerifier {
  /**
   * Verifies a token: that it was issued by a server that is trusted, for this server (its audience, RFC
   * 8707), and has not expired. Must not block; several may run at once. It must not log the token.
   *
   * <p>A token is verified with each request, and again each minute while a client listens.
   *
   * @return completes with whose it is, or with null for one that is not valid; where it fails, or takes
   *     longer than {@link dev.repartee.Limits#callTimeout}, requests are answered 503 and streams end
   */
  CompletionStage<@Nullable Principal> verify(String token);
}
