/**
 * Runs plans of several agents: MCP servers, agents of A2A and ACP, JSON-RPC services and Java code.
 */
@SuppressWarnings("requires-automatic")
module dev.repartee.agents {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires transitive dev.repartee.a2a;
  requires transitive dev.repartee.acp;
  requires transitive dev.repartee.mcp;
  requires org.snakeyaml.engine;

  exports dev.repartee.agents;
  exports dev.repartee.agents.durable;
  exports dev.repartee.agents.kinds;
  exports dev.repartee.agents.plan;
  exports dev.repartee.agents.run;
  exports dev.repartee.agents.serve;
}
