package dev.repartee.mcp.auth;

import java.util.Set;

/**
 * The identity in an access token.
 *
 * @param name a unique name, for example the issuer and the subject of the token
 * @param scopes the scopes of the token
 */
public record Principal(String name, Set<String> scopes) {
  /** Copies the scopes. */
  public Principal {
    scopes = Set.copyOf(scopes);
  }
}
