/** Servers and clients of the Agent2Agent protocol (A2A) on the JSON-RPC engine of Repartee. */
// The module of databases is compiled after this one.
@SuppressWarnings("module")
module dev.repartee.a2a {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires transitive java.net.http;

  exports dev.repartee.a2a.client;
  exports dev.repartee.a2a.push;
  exports dev.repartee.a2a.server;
  exports dev.repartee.a2a.signing;
  exports dev.repartee.a2a.types;
  exports dev.repartee.a2a.wire to
      dev.repartee.a2a.jdbc;
}
