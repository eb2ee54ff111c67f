package dev.repartee.mcp.state;

import dev.repartee.mcp.auth.Principal;
import dev.repartee.transport.Attribute;

/** The attributes of a call that a transport sets and the protocol reads. */
public final class CallAttributes {
  /** The principal of the request; absent if the server is not protected. */
  public static final Attribute<Principal> PRINCIPAL = Attribute.named("MCP principal");

  /** The {@link SessionState} of a request over HTTP. */
  public static final Attribute<SessionState> SESSION = Attribute.named("MCP session");

  private CallAttributes() {}
}
