/** The Language Server Protocol: its types, its messages, and the lifecycle of servers. */
module dev.repartee.lsp {
  requires transitive dev.repartee;
  requires dev.repartee.envelopes;
  requires static transitive org.jspecify;

  exports dev.repartee.lsp;
  exports dev.repartee.lsp.documents;
  exports dev.repartee.lsp.handlers;
  exports dev.repartee.lsp.types;

  provides dev.repartee.json.Binder with
      dev.repartee.lsp.binding.GeneratedBinder;
}
