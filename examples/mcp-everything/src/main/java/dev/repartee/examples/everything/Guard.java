package dev.repartee.examples.everything;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.mcp.Principal;
import dev.repartee.mcp.Protection;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Lets in who has the one token that is known. Where there is an authorization server, the signature,
 * issuer, audience and expiry of the tokens that it issues are verified here instead.
 */
final class Guard {
  /** What a token has to allow for notes to be written. */
  static final String NOTES = "notes:write";

  private Guard() {}

  static Protection of(String token) {
    byte[] known = token.getBytes(UTF_8);
    Principal bearer = new Principal("the bearer of the token", Set.of(NOTES));
    return new Protection(
        List.of("https://auth.example.com"),
        Set.of(),
        null,
        given -> CompletableFuture.completedFuture(
            MessageDigest.isEqual(known, given.getBytes(UTF_8)) ? bearer : null));
  }
}
