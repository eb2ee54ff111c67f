/** Message formats other than JSON-RPC 2.0: JSON-RPC 1.0 and the Debug Adapter Protocol. */
module dev.repartee.envelopes {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.envelopes;

  provides dev.repartee.framing.Envelope with
      dev.repartee.envelopes.Dap,
      dev.repartee.envelopes.JsonRpc10;
}
