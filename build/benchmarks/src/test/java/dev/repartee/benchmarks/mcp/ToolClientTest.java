package dev.repartee.benchmarks.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each client against the server of the benchmark; the driver checks the counted answers. */
@Tag("ci")
class ToolClientTest {
  private static final Duration BRIEF = Duration.ofMillis(20);

  @ParameterizedTest
  @ValueSource(strings = {"repartee", "mcp-java"})
  void answersOverHttp(String library) throws Exception {
    try (Server server = McpServerMain.listen(McpServerMain.HTTP)) {
      answers(library, List.of(server.endpoint().toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"repartee", "mcp-java", "raw"})
  void answersOverStdio(String library) throws Exception {
    answers(
        library,
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            McpServerMain.class.getName(),
            McpServerMain.STDIO));
  }

  private static void answers(String library, List<String> server) throws Exception {
    try (ToolClient client = ToolClient.connect(library, server)) {
      assertThat(client.call()).isTrue();
      assertThat(client.sample(1, BRIEF).rate()).isNotNegative();
      assertThat(client.sample(8, BRIEF).rate()).isNotNegative();
    }
  }
}
