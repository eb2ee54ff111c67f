package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.Revision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The option {@code --revision} of the commands of {@code repartee mcp}. */
class McpRevisionTest {
  private static Server server;
  private static String uri;

  @BeforeAll
  static void serve() throws Exception {
    server = McpServer.builder("shop", "1.0")
        .tool(Tool.named("spoken").handle((call, arguments) -> call.revision().label()))
        .tool(Tool.named("ask").handle((call, arguments) -> {
          Json schema = Json.parse("{\"type\":\"object\",\"properties\":{}}");
          return call.revision() + " "
              + call.elicit("sure", Elicitation.form("Sure?", schema)).action();
        }))
        .prompt(
            Prompt.named("greet").handle((call, arguments) -> call.revision().label()))
        .resource(
            Resource.of("shop://revision", "revision", "", "text/plain"),
            call -> call.revision().label())
        .build()
        .listen("tcp://127.0.0.1:0");
    uri = server.endpoint().toString();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Outcome run(String... words) {
    return Captured.run(
        "", Stream.concat(Stream.of("mcp"), Stream.of(words)).toArray(String[]::new));
  }

  @ParameterizedTest
  @EnumSource(Revision.class)
  void eachCommandUsesTheRevisionThatIsNamed(Revision revision, @TempDir Path folder)
      throws Exception {
    String label = revision.label();
    String file = Files.writeString(
            folder.resolve("servers.json"), "{\"mcpServers\":{\"shop\":{\"url\":\"" + uri + "\"}}}")
        .toString();
    assertThat(run("call", uri, "spoken", "--revision", label))
        .isEqualTo(new Outcome(0, label + "\n", ""));
    assertThat(run("read", uri, "shop://revision", "--revision", label).out()).isEqualTo(label);
    assertThat(run("get", uri, "greet", "--revision", label).out()).contains(label);
    assertThat(run("servers", file, "--revision", label).out())
        .startsWith("shop (shop 1.0, " + label + "): 2 tools");
  }

  @Test
  void aToolAsksInARequestOfItsOwnOverARevisionWithAHandshake() {
    Outcome outcome = run("call", uri, "ask", "--revision", "2025-11-25");
    assertThat(outcome.out()).isEqualTo("2025-11-25 decline\n");
    assertThat(outcome.err()).contains("the server asks 'Sure?'");
  }

  @Test
  void severalRevisionsAreSeparatedByCommasOrByTheOption() {
    assertThat(run("call", uri, "spoken", "--revision", "2025-06-18,2024-11-05").out())
        .isEqualTo("2025-06-18\n");
    assertThat(run("call", uri, "spoken", "--revision=2024-11-05", "--revision=2025-03-26")
            .out())
        .isEqualTo("2025-03-26\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tools {uri} x",
        "call {uri} x a=b",
        "resources {uri}",
        "read {uri} x",
        "prompts {uri}",
        "get {uri} x a=b",
        "complete {uri} x a=b",
        "listen {uri}",
        "servers {uri}"
      })
  void anUnknownRevisionIsAUsageErrorThatListsTheKnown(String command) {
    Outcome outcome = run((command.replace("{uri}", uri) + " --revision 2025-01-01").split(" "));
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("'2025-01-01' is not a revision of MCP; known are 2024-11-05, 2025-03-26");
    assertThat(List.of(Revision.values()))
        .allSatisfy(known -> assertThat(outcome.err()).contains(known.label()));
  }
}
