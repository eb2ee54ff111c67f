package dev.repartee.mcp.oauth;

import java.util.List;
import java.util.Set;

/**
 * The metadata of a protected resource (RFC 9728 section 2).
 *
 * @param resource the identifier of the MCP server, exactly as it was published
 * @param servers the issuers of its authorization servers, at least one
 * @param scopes the scopes for basic use; empty if not published
 * @param bound whether only tokens that are bound by DPoP are accepted
 * @param legacy whether the metadata is missing, as in 2025-03-26, where the MCP server is its own
 *     authorization server
 */
record ResourceMetadata(
    String resource, List<String> servers, Set<String> scopes, boolean bound, boolean legacy) {}
