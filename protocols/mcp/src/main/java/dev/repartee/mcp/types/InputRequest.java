package dev.repartee.mcp.types;

import dev.repartee.json.Json;

/**
 * A request to the client that a handler makes before its result; see {@link
 * dev.repartee.mcp.McpCall#ask}. In a handshake revision it is sent as a request. In a stateless
 * revision it is part of an {@code input_required} result, and the client repeats its own request
 * with the answer. The set is closed.
 */
public sealed interface InputRequest permits Elicitation, Sampling, RootsRequest {
  /** Returns the method, such as {@code elicitation/create}. */
  String method();

  /** Returns the params in a revision. */
  Json params(Revision revision);

  /** Returns the required client capability, in the form of a declaration of capabilities. */
  Json capability();

  /** Returns whether a client with these capabilities supports the request. */
  boolean isTakenBy(ClientCapabilities capabilities);

  /**
   * Checks that the client's answer has the right shape.
   *
   * @throws dev.repartee.RpcException -32602 if the shape is wrong
   */
  void check(Json answer);
}
