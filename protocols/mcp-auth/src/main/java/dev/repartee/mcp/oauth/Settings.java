package dev.repartee.mcp.oauth;

import dev.repartee.limits.NetworkRange;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client; see {@link OAuthClient.Builder}. There is a browser, a source of
 * assertions, or neither for the grant of client credentials.
 *
 * @param registered the registrations by issuer
 * @param trusted the registrations by the canonical URI of an MCP server
 * @param document the address of the client id metadata document
 * @param scopes the scopes to request instead of all that the MCP server lists
 */
record Settings(
    String name,
    @Nullable Browser browser,
    @Nullable AssertionSource assertions,
    Map<String, Registration> registered,
    Map<String, Registration> trusted,
    @Nullable URI document,
    Set<String> scopes,
    TokenStore store,
    Duration userTimeout,
    NetworkRange.Resolver resolver) {}
