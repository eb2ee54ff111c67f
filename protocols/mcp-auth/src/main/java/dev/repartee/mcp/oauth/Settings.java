package dev.repartee.mcp.oauth;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client; see {@link OAuthClient.Builder}. There is a browser, a source of
 * assertions, or neither for the grant of client credentials.
 *
 * @param registered the registrations by issuer
 * @param trusted the registrations by the canonical URI of an MCP server
 * @param document the address of the client id metadata document
 */
record Settings(
    String name,
    @Nullable Browser browser,
    @Nullable AssertionSource assertions,
    Map<String, Registration> registered,
    Map<String, Registration> trusted,
    @Nullable URI document,
    TokenStore store,
    Duration userTimeout,
    Addresses.Resolver resolver) {}
