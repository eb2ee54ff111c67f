/** Servers of the Model Context Protocol (MCP) on the JSON-RPC engine of Repartee. */
@SuppressWarnings("requires-automatic") // the validator of JSON Schemas has no descriptor
module dev.repartee.mcp {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires json.schema;

  exports dev.repartee.mcp;
  exports dev.repartee.mcp.auth;
  exports dev.repartee.mcp.bridge;

  provides dev.repartee.json.Binder with
      dev.repartee.mcp.McpBinder;
}
