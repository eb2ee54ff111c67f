/** Language servers as tools of the Model Context Protocol. */
module dev.repartee.mcp.lsp {
  requires transitive dev.repartee.mcp;
  requires dev.repartee.lsp;
  requires static transitive org.jspecify;

  exports dev.repartee.mcp.lsp;

  opens dev.repartee.mcp.lsp to
      dev.repartee; // which calls the handlers of messages
}
