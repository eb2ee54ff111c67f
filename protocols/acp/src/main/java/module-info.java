/** The Agent Client Protocol: agents and their clients. */
module dev.repartee.acp {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;

  exports dev.repartee.acp;
  exports dev.repartee.acp.handlers;
  exports dev.repartee.acp.local;
  exports dev.repartee.acp.runs;
  exports dev.repartee.acp.types;

  provides dev.repartee.json.Binder with
      dev.repartee.acp.binding.GeneratedBinder;
}
