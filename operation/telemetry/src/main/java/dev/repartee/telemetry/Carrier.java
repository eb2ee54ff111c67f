package dev.repartee.telemetry;

import dev.repartee.CallBuilder;

/** A place in a message for the context of its trace: {@code traceparent} and the like. */
public enum Carrier {
  /**
   * The header fields of the message: HTTP and brokers, see {@link CallBuilder#header}. Other
   * transports send none. The calls of a {@link dev.repartee.Batch} share the fields of one message;
   * they have the context of the last of them.
   */
  HEADERS,

  /**
   * The member {@code _meta} of params by name, as in MCP and ACP, on every transport. A call
   * without arguments gets an object with this member only; params by position stay as they are. The
   * methods must accept the member: outside of MCP the layer of the server removes it.
   */
  META,

  /**
   * Members of the message itself, beside {@code method} and {@code params}, as in StreamJsonRpc:
   * JSON-RPC 2.0 on every transport, with any params, and for each call of a batch. Other envelopes
   * have none. A server without this carrier ignores them; one that refuses unknown members of a
   * message refuses the call.
   */
  MEMBERS
}
