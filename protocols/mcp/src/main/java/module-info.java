/** Servers and clients of the Model Context Protocol (MCP) on the JSON-RPC engine of Repartee. */
@SuppressWarnings("module") // the modules of tools are compiled after this one
module dev.repartee.mcp {
  requires transitive dev.repartee;
  requires transitive dev.repartee.openrpc;
  requires static transitive org.jspecify;
  requires java.net.http;

  exports dev.repartee.mcp;
  exports dev.repartee.mcp.auth;
  exports dev.repartee.mcp.bridge;
  exports dev.repartee.mcp.client;
  exports dev.repartee.mcp.types;
  exports dev.repartee.mcp.workspace to
      dev.repartee.mcp.lsp,
      dev.repartee.mcp.dap;

  provides dev.repartee.json.Binder with
      dev.repartee.mcp.types.McpBinder;
}
