package dev.repartee.agents.kinds;

import dev.repartee.transport.Endpoint;

/**
 * The URI of an agent: a protocol and the endpoint of a transport, such as {@code mcp+exec:node
 * server.js} or {@code json-rpc+tcp://127.0.0.1:7000}.
 *
 * @param protocol the protocol
 * @param endpoint the URI of the endpoint
 */
record AgentUri(Protocol protocol, String endpoint) {
  /**
   * Reads a URI. A URI without a protocol is the endpoint of a JSON-RPC service.
   *
   * @throws IllegalArgumentException if the protocol is unknown or the endpoint is malformed
   */
  static AgentUri parse(String uri) {
    int scheme = uri.indexOf(':');
    int plus = scheme < 0 ? -1 : uri.lastIndexOf('+', scheme);
    String prefix = plus < 0 ? "" : uri.substring(0, plus);
    Protocol protocol = plus < 0 ? Protocol.JSON_RPC : Protocol.named(prefix);
    if (protocol == null && prefix.startsWith("zmq")) {
      return new AgentUri(Protocol.JSON_RPC, checked(uri)); // zmq+tcp is a transport
    } else if (protocol == null) {
      throw new IllegalArgumentException("unknown protocol '" + prefix + "' in '" + uri
          + "'; agents have " + Protocol.names() + ", as in mcp+exec:COMMAND");
    }
    return new AgentUri(protocol, checked(plus < 0 ? uri : uri.substring(plus + 1)));
  }

  private static String checked(String endpoint) {
    if (Endpoint.parse(endpoint).scheme().equals("stdio")) {
      throw new IllegalArgumentException(
          "an agent cannot be at 'stdio:'; start it with exec:COMMAND instead");
    }
    return endpoint;
  }
}
