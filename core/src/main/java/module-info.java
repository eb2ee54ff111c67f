/** JSON-RPC 2.0 for Java: symmetric peers and every transport that needs only the JDK. */
// The modules of the qualified export are compiled after this one.
@SuppressWarnings("module")
module dev.repartee {
  requires static transitive org.jspecify;
  requires static java.net.http; // for the modules that use the HTTP client, which require it
  requires static jdk.net; // for the users of Unix sockets, and optional

  exports dev.repartee;
  exports dev.repartee.access;
  exports dev.repartee.balance;
  exports dev.repartee.message;
  exports dev.repartee.reconnect;
  exports dev.repartee.trace;
  exports dev.repartee.transport;
  exports dev.repartee.transport.http;
  exports dev.repartee.transport.http.client to
      dev.repartee.a2a,
      dev.repartee.mcp,
      dev.repartee.security;
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
      dev.repartee.amqp,
      dev.repartee.bridge,
      dev.repartee.broker,
      dev.repartee.conformance,
      dev.repartee.dap,
      dev.repartee.jackson,
      dev.repartee.mcp,
      dev.repartee.mcp.dap,
      dev.repartee.mcp.lsp,
      dev.repartee.mcp.oauth,
      dev.repartee.nats,
      dev.repartee.netty,
      dev.repartee.openrpc,
      dev.repartee.resilience,
      dev.repartee.security,
      dev.repartee.servlet,
      dev.repartee.ssh,
      dev.repartee.telemetry,
      dev.repartee.xmpp,
      dev.repartee.zeromq;
  exports dev.repartee.internal.log to
      dev.repartee.netty,
      dev.repartee.security,
      dev.repartee.telemetry;
  exports dev.repartee.internal.reflect to
      dev.repartee.jackson;

  uses dev.repartee.framing.Envelope;
  uses dev.repartee.internal.ThreadContext.Provider;
  uses dev.repartee.json.Binder;
  uses dev.repartee.transport.Transport;
}
