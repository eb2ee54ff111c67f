package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that are MCP servers. */
@Timeout(120)
class McpAgentTest {
  /** The tools of the server. */
  public static final class Tools {
    @McpTool("Answers")
    public String answer() {
      return "yes";
    }
  }

  @Test
  void aRunMayOutliveTheCallThatHasStartedIt() throws Exception {
    try (Server server =
        McpServer.builder("test", "1").tools(new Tools()).build().listen("tcp://127.0.0.1:0")) {
      Task task = Task.of("answer", Json.EMPTY_OBJECT);
      assertThat(RunInCall.timeLeft("tools/call", "mcp+" + server.endpoint(), task))
          .isEmpty();
    }
  }
}
