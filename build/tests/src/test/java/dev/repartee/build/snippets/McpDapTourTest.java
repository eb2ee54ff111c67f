package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.dap.DapServer;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.Reconnecting;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of protocols/mcp-dap/README.md. */
class McpDapTourTest {
  private static String call(Peer client, String tool, String arguments) {
    return client
        .request("tools/call")
        .params(Json.parse("{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}"))
        .call(Json.class)
        .toString();
  }

  @Test
  void aDebugAdapterAnswersAnMcpClient(@TempDir Path folder) throws Exception {
    Server adapter = DapServer.listen(
        "tcp://127.0.0.1:0", CountdownAdapter::new, DapServer.options().build());
    String endpoint = "mem:mcp-dap-tour";
    Thread serving = new Thread(() -> {
      try {
        McpDapTour.serve(adapter.endpoint().bare().toString(), folder, endpoint);
      } catch (Exception e) {
        // It is interrupted at the end.
      }
    });
    serving.start();
    Backoff soon = Backoff.DEFAULT.initial(Duration.ofMillis(10)).max(Duration.ofMillis(10));
    try (Peer client = Reconnecting.to(endpoint).backoff(soon).connectInBackground()) {
      client
          .request("initialize")
          .params(Json.parse("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
              + "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}"))
          .call(Json.class);
      // The adapter has a counter, and no stack.
      assertThat(call(client, "launch", "{\"configuration\":{\"from\":2},\"timeout\":30}"))
          .contains("\"state\":\"stopped\"", "\"reason\":\"entry\"");
      assertThat(call(client, "step_over", "{\"timeout\":30}")).contains("\"reason\":\"step\"");
      assertThat(call(client, "step_over", "{\"timeout\":30}")).contains("\"state\":\"ended\"");
    } finally {
      serving.interrupt();
      serving.join(30_000);
      adapter.close();
    }
    assertThat(serving.isAlive()).isFalse();
  }
}
