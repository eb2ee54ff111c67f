package dev.repartee.agents.kinds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
    CompletableFuture<Optional<Duration>> left = new CompletableFuture<>();
    Options options = Options.builder()
        .callLayer((call, next) -> {
          if (call.method().equals("tools/call")) {
            left.complete(Optional.ofNullable(call.timeLeft()));
          }
          return next.handle(call);
        })
        .build();
    Options hour = Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofHours(1)))
        .build();
    try (Server server =
            McpServer.builder("test", "1").tools(new Tools()).build().listen("tcp://127.0.0.1:0");
        Agent agent = new AgentConnector(options, Duration.ofSeconds(60))
            .connect("m", "mcp+" + server.endpoint())) {
      Service front = Service.builder()
          .method("start", call -> {
            agent.run(Task.of("answer", Json.EMPTY_OBJECT));
            return true;
          })
          .build();
      FrameResponder.of(front, hour, new ChannelInfo("test", "", "message"))
          .respond("""
          {"jsonrpc":"2.0","method":"start","id":1}""".getBytes(UTF_8));
      assertThat(left.get(60, TimeUnit.SECONDS)).isEmpty();
    }
  }
}
