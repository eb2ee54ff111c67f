package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.lsp.LspServer;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.Reconnecting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of protocols/mcp-lsp/README.md. */
class McpLspTourTest {
  @Test
  void aLanguageServerAnswersAnMcpClient(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("a.txt"), "one\nTODO two");
    Server language = LspServer.listen(
        "tcp://127.0.0.1:0", TodoServer::new, LspServer.options().build());
    String endpoint = "mem:mcp-lsp-tour";
    Thread serving = new Thread(() -> {
      try {
        McpLspTour.serve(language.endpoint().toString(), folder, endpoint);
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
      Json found = client
          .request("tools/call")
          .params(Json.parse("{\"name\":\"diagnostics\",\"arguments\":{\"file\":\"a.txt\"}}"))
          .call(Json.class);
      assertThat(found.toString()).contains("a.txt:2:1: error: still to do");
    } finally {
      serving.interrupt();
      serving.join(30_000);
      language.close();
    }
    assertThat(serving.isAlive()).isFalse();
  }
}
