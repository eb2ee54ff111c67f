/** OpenRPC documents: reading, comparing, validation of calls, and generated code. */
// The validator of JSON Schemas has no descriptor; the modules of tools are compiled after this
// one.
@SuppressWarnings({"requires-automatic", "module"})
module dev.repartee.openrpc {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires json.schema;

  exports dev.repartee.openrpc;
  exports dev.repartee.openrpc.generate;
  exports dev.repartee.openrpc.mock;
  exports dev.repartee.openrpc.schema to
      dev.repartee.agents,
      dev.repartee.mcp;
}
