package dev.repartee.a2a.types;

import org.jspecify.annotations.Nullable;

/**
 * An address of an agent (section 4.4.6).
 *
 * @param url the address
 * @param protocolBinding {@code JSONRPC}, {@code GRPC}, {@code HTTP+JSON}, or a URI
 * @param protocolVersion the version of the protocol, such as {@code 1.0}
 * @param tenant the tenant to send with requests; null for none
 */
public record AgentInterface(
    String url,
    String protocolBinding,
    String protocolVersion,
    @Nullable String tenant) {
  /** The name of the binding with JSON-RPC. */
  public static final String JSON_RPC = "JSONRPC";

  /** Returns an address with the binding of JSON-RPC. */
  public static AgentInterface jsonRpc(String url, String protocolVersion) {
    return new AgentInterface(url, JSON_RPC, protocolVersion, null);
  }
}
