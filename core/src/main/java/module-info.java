/** JSON-RPC 2.0 for Java: symmetric peers and every transport that needs only the JDK. */
// The modules of the qualified export are compiled after this one.
@SuppressWarnings("module")
module dev.repartee {
  requires static transitive org.jspecify;

  exports dev.repartee;
  exports dev.repartee.message;
  exports dev.repartee.reconnect;
  exports dev.repartee.trace;
  exports dev.repartee.transport;
  exports dev.repartee.transport.http;
  exports dev.repartee.transport.http.server to
      dev.repartee.netty,
      dev.repartee.servlet;
  exports dev.repartee.framing;
  exports dev.repartee.json;
  exports dev.repartee.limits;
  exports dev.repartee.stream;
  exports dev.repartee.internal to
      dev.repartee.a2a,
      dev.repartee.acp,
      dev.repartee.agents,
      dev.repartee.agents.postgres,
      dev.repartee.bridge,
      dev.repartee.broker,
      dev.repartee.conformance,
      dev.repartee.dap,
      dev.repartee.mcp,
      dev.repartee.mcp.dap,
      dev.repartee.mcp.lsp,
      dev.repartee.mcp.oauth,
      dev.repartee.nats,
      dev.repartee.netty,
      dev.repartee.servlet,
      dev.repartee.ssh,
      dev.repartee.xmpp,
      dev.repartee.zeromq;

  uses dev.repartee.framing.Envelope;
  uses dev.repartee.json.Binder;
  uses dev.repartee.transport.Transport;
}
