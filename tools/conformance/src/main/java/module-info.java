/** Checks whether a JSON-RPC 2.0 server or client conforms to the specification. */
module dev.repartee.conformance {
  requires transitive dev.repartee;
  requires java.xml;
  requires jdk.httpserver;
  requires static transitive org.jspecify;

  exports dev.repartee.conformance;
}
