/** Debug adapters as tools of the Model Context Protocol. */
module dev.repartee.mcp.dap {
  requires transitive dev.repartee.mcp;
  requires dev.repartee.dap;
  requires static transitive org.jspecify;

  exports dev.repartee.mcp.dap;

  opens dev.repartee.mcp.dap to
      dev.repartee; // which calls the handlers of messages
}
