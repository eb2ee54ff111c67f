package dev.repartee.mcp.state;

import dev.repartee.transport.Attribute;

/** The attributes of a call that a transport sets and the protocol reads. */
public final class CallAttributes {
  /** The {@link SessionState} of a request over HTTP. */
  public static final Attribute<SessionState> SESSION = Attribute.named("MCP session");

  private CallAttributes() {}
}
