package dev.repartee.mcp;

import dev.repartee.Json;

/**
 * Something that a handler needs of the client before it can answer: see {@link McpCall#ask}. In a
 * handshake revision it goes to the client as a request; in a stateless one it is the answer to the
 * call, which the client then repeats with what it has to say. The set is closed.
 */
public sealed interface InputRequest permits Elicitation, Sampling, RootsRequest {
  /** The method, as the protocol names it. */
  String method();

  /** Its params in that revision. */
  Json params(Revision revision);

  /** The capabilities that a client has to have declared: an object as in its own declaration. */
  Json capability();

  /** Whether a client of these capabilities may be asked. */
  boolean isTakenBy(ClientCapabilities capabilities);

  /**
   * Whether that can be the client's answer.
   *
   * @throws dev.repartee.RpcException -32602 if not
   */
  void check(Json answer);
}
