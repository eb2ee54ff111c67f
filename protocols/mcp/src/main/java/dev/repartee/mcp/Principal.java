package dev.repartee.mcp;

import java.util.Set;

/**
 * In whose name a request is made, as its token says.
 *
 * @param name who it is, unlike any other: the token's subject with its issuer, say
 * @param scopes what the token allows
 */
public record Principal(String name, Set<String> scopes) {
  static final String KEY = "dev.repartee.mcp.principal";

  /** Copies the scopes. */
  public Principal {
    scopes = Set.copyOf(scopes);
  }
}
