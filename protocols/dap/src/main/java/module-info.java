/** The Debug Adapter Protocol: its types, its messages, and the order of a session. */
module dev.repartee.dap {
  requires transitive dev.repartee;
  requires transitive dev.repartee.envelopes;
  requires static transitive org.jspecify;

  exports dev.repartee.dap;
  exports dev.repartee.dap.handlers;
  exports dev.repartee.dap.types;

  provides dev.repartee.json.Binder with
      dev.repartee.dap.binding.GeneratedBinder;
}
