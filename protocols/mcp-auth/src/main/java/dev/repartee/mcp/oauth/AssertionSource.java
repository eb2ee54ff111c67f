package dev.repartee.mcp.oauth;

import java.util.concurrent.CompletionStage;

/**
 * Obtains signed assertions, which an authorization server exchanges for an access token (RFC
 * 7523): from the platform that runs the program (workload identity federation), or from the
 * identity provider of an enterprise (an ID-JAG).
 */
@FunctionalInterface
public interface AssertionSource {
  /**
   * Returns a stage of a signed JWT. An assertion is used once.
   *
   * @param issuer the authorization server, which is the audience of the assertion
   * @param resource the MCP server for which an access token is needed
   */
  CompletionStage<String> assertion(String issuer, String resource);
}
