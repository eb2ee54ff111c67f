package dev.repartee.agents.kinds;

import dev.repartee.agents.Agent;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The protocols of agents. */
enum Protocol {
  MCP("mcp", McpAgent::connect),
  A2A("a2a", A2aAgent::connect),
  ACP("acp", AcpAgent::connect),
  ACP_RUNS("acp-runs", RunsAgent::connect),
  JSON_RPC("json-rpc", JsonRpcAgent::connect);

  private final String label;
  private final Connector connector;

  Protocol(String label, Connector connector) {
    this.label = label;
    this.connector = connector;
  }

  /** Connects to an agent. */
  @FunctionalInterface
  interface Connector {
    /**
     * Connects to an agent, and waits for its skills.
     *
     * @param name the name of the agent
     * @param endpoint the URI of its endpoint
     * @throws IOException if the agent cannot be reached
     */
    Agent connect(String name, String endpoint, AgentConnector settings) throws IOException;
  }

  Connector connector() {
    return connector;
  }

  static @Nullable Protocol named(String label) {
    for (Protocol protocol : values()) {
      if (protocol.label.equals(label)) {
        return protocol;
      }
    }
    return null;
  }

  static String names() {
    return Arrays.stream(values())
        .map(protocol -> protocol.label)
        .collect(Collectors.joining(", "));
  }
}
