package dev.repartee.examples.everything;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.Principal;
import dev.repartee.mcp.auth.Protection;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Admits clients that send the one known token. With an authorization server, this is the place to
 * verify the signature, issuer, audience and expiry of its tokens.
 */
final class Guard {
  /** The scope that a token needs for writing notes. */
  static final String NOTES = "notes:write";

  private Guard() {}

  static Protection of(String token) {
    byte[] known = token.getBytes(UTF_8);
    Principal bearer = Principal.bearer("the bearer of the token", Set.of(NOTES));
    return new Protection(
        List.of("https://auth.example.com"),
        Set.of(),
        null,
        given -> CompletableFuture.completedFuture(
            MessageDigest.isEqual(known, given.getBytes(UTF_8)) ? bearer : null));
  }
}
