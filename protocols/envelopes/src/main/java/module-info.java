/**
 * Message formats other than JSON-RPC 2.0: JSON-RPC 1.0, the Debug Adapter Protocol, and the
 * formats of the daemons lazydap and mxr.
 */
module dev.repartee.envelopes {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.envelopes;

  provides dev.repartee.framing.Envelope with
      dev.repartee.envelopes.Dap,
      dev.repartee.envelopes.JsonRpc10,
      dev.repartee.envelopes.JsonRpc10Text,
      dev.repartee.envelopes.Lazydap,
      dev.repartee.envelopes.Lsp,
      dev.repartee.envelopes.Mxr;
}
