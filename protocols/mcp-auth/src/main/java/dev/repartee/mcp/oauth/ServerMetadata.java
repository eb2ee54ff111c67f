package dev.repartee.mcp.oauth;

import java.net.URI;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of an authorization server (RFC 8414 section 2). All addresses are checked.
 *
 * @param methods the methods of client authentication at the token endpoint
 * @param algorithms the algorithms of signed client assertions; null if not published
 * @param scopes the supported scopes; empty if not published
 * @param names whether authorization responses contain its issuer (RFC 9207)
 * @param documents whether it accepts client id metadata documents
 * @param pkce whether it supports PKCE with S256
 * @param bindings the algorithms of DPoP; empty if it does not support DPoP
 */
record ServerMetadata(
    String issuer,
    @Nullable URI authorization,
    URI token,
    @Nullable URI registration,
    List<String> methods,
    @Nullable List<String> algorithms,
    Set<String> scopes,
    boolean names,
    boolean documents,
    boolean pkce,
    List<String> bindings) {
  /** The methods of a server that publishes none (RFC 8414 section 2). */
  static final List<String> DEFAULT_METHODS = List.of("client_secret_basic");
}
