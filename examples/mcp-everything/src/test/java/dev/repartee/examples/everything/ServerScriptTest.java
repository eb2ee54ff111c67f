package dev.repartee.examples.everything;

import static dev.repartee.examples.everything.Client.at;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the script that starts the example. */
@DisabledOnOs(OS.WINDOWS)
class ServerScriptTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("repartee.root"), "examples/mcp-everything/server");

  private Process process;

  private void start(String... arguments) throws IOException {
    List<String> command =
        Stream.concat(Stream.of(SCRIPT.toString()), Stream.of(arguments)).toList();
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    process = builder.start();
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  private static String read(java.io.InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), UTF_8);
  }

  @Test
  void itServesStandardInputUntilItsEndAndPrintsNothingElse() throws Exception {
    start("stdio:");
    try (var in = process.getOutputStream()) {
      in.write("""
          {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{\
          "io.modelcontextprotocol/protocolVersion":"2026-07-28",\
          "io.modelcontextprotocol/clientCapabilities":{}}}}
          """.getBytes(UTF_8));
    }
    String said = read(process.getInputStream());

    assertThat(said.lines()).hasSize(1);
    assertThat(at(Json.parse(said), "result", "supportedVersions", 0))
        .isEqualTo(Json.of("2026-07-28"));
    assertThat(read(process.getErrorStream())).isEqualTo("listening on stdio:\n");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void itServesHttpUntilItIsToldToStop() throws Exception {
    start("http://127.0.0.1:0/mcp");
    BufferedReader err = process.errorReader(UTF_8);
    String line = err.readLine();

    assertThat(line).matches("listening on http://127\\.0\\.0\\.1:\\d+/mcp");
    URI uri = URI.create(line.substring("listening on ".length()));
    Client client = new Client(Era.STATELESS, uri, "{}");
    assertThat(client.call("tools/call", Map.of("name", "test_simple_text")).text())
        .isEqualTo("This is a simple text response for testing.");
    var out = process.getInputStream();
    new ProcessBuilder("kill", Long.toString(process.pid()))
        .start(); // destroy() closes the streams
    assertThat(process.waitFor()).isZero();
    assertThat(read(out)).isEmpty();
  }

  @Test
  void itPrintsItsUsage() throws Exception {
    start("--help");

    assertThat(read(process.getInputStream())).startsWith("usage: examples/mcp-everything/server");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void withoutAnAddressItPrintsItsUsage() throws Exception {
    start();

    assertThat(read(process.getErrorStream())).startsWith("usage: examples/mcp-everything/server");
    assertThat(process.waitFor()).isEqualTo(2);
  }

  @Test
  void anAddressThatItCannotListenAtIsNamed() throws Exception {
    start("carrier-pigeon:coop");

    assertThat(read(process.getErrorStream())).contains("carrier-pigeon:coop");
    assertThat(process.waitFor()).isEqualTo(2);
  }
}
