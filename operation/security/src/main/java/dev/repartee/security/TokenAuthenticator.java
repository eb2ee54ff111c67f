package dev.repartee.security;

import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks a token in a header field, which is known by its digest. */
abstract class TokenAuthenticator implements FieldAuthenticator {
  private final TokenField field;
  private final List<String> challenges;
  private final int longest;

  /**
   * Creates an authenticator.
   *
   * @param longest the maximum number of characters of a token
   */
  TokenAuthenticator(TokenField field, int longest) {
    this.field = field;
    this.challenges = List.of(field.challenge());
    this.longest = longest;
  }

  @Override
  public final CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    String token = field.token().apply(credentials);
    if (token == null) {
      return CompletableFuture.completedFuture(null);
    }
    if (token.isEmpty() || token.length() > longest) {
      return Refusals.refuse(Refusals.wrong());
    }
    return check(Digest.of(token, credentials), token, credentials);
  }

  /** Checks a token whose length is allowed. */
  abstract CompletionStage<@Nullable Principal> check(
      Digest digest, String token, Credentials credentials);

  @Override
  public final String field() {
    return field.place();
  }

  @Override
  public final List<String> challenges() {
    return challenges;
  }
}
