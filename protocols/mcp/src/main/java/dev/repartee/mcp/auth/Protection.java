package dev.repartee.mcp.auth;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the server an OAuth 2.1 resource server: every HTTP request needs an access token. Clients
 * find the authorization server through the protected resource metadata (RFC 9728). WebSocket
 * connections are refused. Other transports are not protected: a program that starts the process,
 * or that may open its socket, is trusted.
 *
 * @param authorizationServers the issuers of accepted tokens, at least one
 * @param scopes the scopes that every request needs; tools may {@linkplain
 *     dev.repartee.mcp.Tool.Builder#scopes need more}
 * @param resource the URL of the server that tokens are issued for; null to take it from the {@code
 *     Host} header of each request
 * @param verifier the verifier of tokens
 */
public record Protection(
    List<String> authorizationServers,
    Set<String> scopes,
    @Nullable String resource,
    TokenVerifier verifier) {
  /**
   * Copies the collections.
   *
   * @throws IllegalArgumentException if the list of authorization servers is empty
   */
  public Protection {
    if (authorizationServers.isEmpty()) {
      throw new IllegalArgumentException("name at least one authorization server");
    }
    authorizationServers = List.copyOf(authorizationServers);
    scopes = Collections.unmodifiableSet(new LinkedHashSet<>(scopes));
  }
}
