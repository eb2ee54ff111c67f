package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for MCP at a server of JSON-RPC without MCP. */
class NotMcpTest {
  private static final Service SHOP =
      Service.builder().method("price", call -> 5).build();

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "http://127.0.0.1:0/"})
  void theCommandThatMakesItAnMcpServerIsNamed(String listening) throws Exception {
    try (Server server = Repartee.listen(listening, SHOP)) {
      String uri = server.endpoint().toString();
      Outcome outcome = Captured.run("", "mcp", "tools", uri);
      assertThat(outcome.exit()).isEqualTo(1);
      assertThat(outcome.err())
          .contains("-32601")
          .endsWith("repartee: " + uri + " speaks JSON-RPC but not MCP; 'repartee mcp serve " + uri
              + "' makes its methods tools\n");
    }
  }

  @Test
  void theListOfServersNamesItToo(@TempDir Path folder) throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SHOP)) {
      String uri = server.endpoint().toString();
      Path file = folder.resolve("servers.json");
      Files.writeString(file, "{\"mcpServers\":{\"shop\":{\"url\":\"" + uri + "\"}}}");
      Outcome outcome = Captured.run("", "mcp", "servers", file.toString());
      assertThat(outcome.exit()).isEqualTo(1);
      assertThat(outcome.err()).contains("'repartee mcp serve " + uri + "'").hasLineCount(1);
    }
  }
}
