/**
 * OAuth 2.1 for clients of the Model Context Protocol (specification, "Authorization"): {@link
 * dev.repartee.mcp.oauth.OAuthClient} obtains the access tokens of a {@link
 * dev.repartee.mcp.client.McpClient}.
 */
@NullMarked
package dev.repartee.mcp.oauth;

import org.jspecify.annotations.NullMarked;
