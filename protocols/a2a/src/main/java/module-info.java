/** Servers and clients of the Agent2Agent protocol (A2A) on the JSON-RPC engine of Repartee. */
module dev.repartee.a2a {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires java.net.http;

  exports dev.repartee.a2a.server;
  exports dev.repartee.a2a.types;
}
