package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the experimental tasks of 2025-11-25, which the client requests. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandshakeTasksTest {
  private static final String INITIALIZED = """
      {"protocolVersion":"2025-11-25","capabilities":{"tools":{},\
      "tasks":{"requests":{"tools":{"call":{}}}}},\
      "serverInfo":{"name":"scripted","version":"1"}}""";
  private static final String TOOLS = """
      {"tools":[{"name":"quick","inputSchema":{"type":"object"}},\
      {"name":"slow","inputSchema":{"type":"object"},\
      "execution":{"taskSupport":"required"}}]}""";

  private static String task(String status) {
    return "\"taskId\":\"7\",\"createdAt\":\"2025-11-25T00:00:00Z\",\"ttl\":null,"
        + "\"lastUpdatedAt\":\"2025-11-25T00:00:00Z\",\"status\":\"" + status + "\"";
  }

  private static String text(String text) {
    return """
        {"content":[{"type":"text","text":"%s"}]}""".formatted(text);
  }

  private static void answer(ScriptedServer.Heard request) throws IOException {
    switch (request.method()) {
      case "server/discover" -> request.answer(400, "text/plain", "no session");
      case "initialize" -> request.result(INITIALIZED);
      case "tools/list" -> request.result(TOOLS);
      case "tools/call" -> {
        Json params = request.message().get("params");
        boolean isTask = params.get("task") != null;
        if (isTask != params.get("name").equals(Json.of("slow"))) {
          request.error(200, "{\"code\":-32601,\"message\":\"'slow' is a task, 'quick' is none\"}");
        } else if (isTask) {
          request.result("{\"task\":{" + task("working") + "}}");
        } else {
          request.result(text("at once"));
        }
      }
      case "tasks/get" -> request.result("{" + task("completed") + "}");
      case "tasks/result" -> request.result(text("done"));
      default -> request.answer(202, "", "");
    }
  }

  @Test
  void aPlainCallOfAToolThatIsAlwaysATaskAsksForTheTask() throws Exception {
    try (ScriptedServer server = ScriptedServer.of(HandshakeTasksTest::answer);
        McpClient client = McpClient.connect(server.uri())) {
      assertThat(client.call("slow", null).content()).containsExactly(Content.text("done"));
      assertThat(client.call("quick", null).content()).containsExactly(Content.text("at once"));
      assertThat(server.count("tools/list")).isEqualTo(1);
    }
  }
}
