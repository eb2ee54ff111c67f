/**
 * Authorization (OAuth 2.1): the {@linkplain dev.repartee.mcp.auth.Protection protection} of a
 * server over HTTP, and the verifier of its access tokens.
 */
@NullMarked
package dev.repartee.mcp.auth;

import org.jspecify.annotations.NullMarked;
