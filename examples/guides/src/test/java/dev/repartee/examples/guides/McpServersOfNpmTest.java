package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.Progress;
import dev.repartee.mcp.client.RemotePrompt;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Our MCP client against the reference servers of npm over standard input and output. Each server
 * runs once for the class.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
@EnabledIf(value = "isInstalled", disabledReason = NodeModules.MISSING)
@Tag("ci")
@SuppressWarnings("deprecation") // of the specification, and still supported
class McpServersOfNpmTest {
  private static final List<String> NAMES =
      List.of("everything", "filesystem", "memory", "sequential-thinking");

  @TempDir
  static Path folder;

  private static McpClient everything;
  private static McpClient files;
  private static McpClient memory;
  private static McpClient thinking;

  static boolean isInstalled() {
    return NAMES.stream().allMatch(name -> NodeModules.has("@modelcontextprotocol/server-" + name));
  }

  @BeforeAll
  static void start() throws Exception {
    Files.writeString(folder.resolve("a.txt"), "one\ntwo\n");
    Files.createDirectory(folder.resolve("shared"));
    everything = connect("everything");
    files = connect("filesystem", folder.toString());
    memory = connect("memory");
    thinking = connect("sequential-thinking");
  }

  @AfterAll
  static void stop() {
    for (McpClient client : new McpClient[] {everything, files, memory, thinking}) {
      if (client != null) {
        client.close();
      }
    }
  }

  /** Starts a server and connects to it. */
  private static McpClient connect(String name, String... words) throws IOException {
    JsonWriter uri = new JsonWriter().ascii("exec:[\"env\",");
    uri.string("MEMORY_FILE_PATH=" + folder.resolve("memory.jsonl"));
    uri.ascii(",\"node\",")
        .string(NodeModules.file("@modelcontextprotocol/server-" + name + "/dist/index.js"));
    for (String word : words) {
      uri.put(',').string(word);
    }
    return McpClient.builder("test", "1.0")
        .roots(() -> List.of(new Root(folder.resolve("shared").toUri().toString(), "shared")))
        .onElicitation(form ->
            new Elicitation.Answer("accept", Json.parse("{\"name\":\"Ann\",\"check\":true}")))
        .onSampling(request -> new Sampling.Answer(
            "assistant", Content.text("forty-two").json(), "test-model", "endTurn"))
        .onStderr(line -> {})
        .connect(new String(uri.put(']').toBytes(), UTF_8));
  }

  private static Set<String> tools(McpClient client) {
    return client.tools().map(RemoteTool::name).collect(Collectors.toSet());
  }

  private static ToolResult call(McpClient client, String tool, Object... arguments) {
    Map<String, Object> named = new LinkedHashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      named.put((String) arguments[i], arguments[i + 1]);
    }
    ToolResult result = client.call(tool, named);
    assertThat(result.isError()).as(tool + ": " + result.content()).isFalse();
    return result;
  }

  private static String text(McpClient client, String tool, Object... arguments) {
    return call(client, tool, arguments).content().stream()
        .filter(Content.Text.class::isInstance)
        .map(content -> ((Content.Text) content).text())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void allOfThemSpeakTheLastRevisionWithAHandshake() {
    for (McpClient client : List.of(everything, files, memory, thinking)) {
      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
      assertThat(client.server()).isNotNull();
      client.ping();
    }
  }

  // ---------------------------------------------------------------- everything

  @Test
  void theToolsOfEverythingAnswer() {
    assertThat(tools(everything))
        .contains("echo", "get-env", "get-roots-list", "trigger-sampling-request")
        .hasSizeGreaterThanOrEqualTo(17);
    assertThat(text(everything, "echo", "message", "Hi")).isEqualTo("Echo: Hi");
    assertThat(text(everything, "get-sum", "a", 1, "b", 2)).isEqualTo("The sum of 1 and 2 is 3.");
    assertThat(text(everything, "get-env")).contains("PATH");
    assertThat(
            call(everything, "get-annotated-message", "messageType", "error", "includeImage", true)
                .content())
        .hasSize(2)
        .anyMatch(Content.Image.class::isInstance);
    assertThat(call(everything, "get-tiny-image").content())
        .anyMatch(Content.Image.class::isInstance);
    assertThat(call(everything, "get-resource-links", "count", 3).content().stream()
            .filter(Content.Link.class::isInstance))
        .hasSize(3);
    assertThat(call(everything, "get-resource-reference", "resourceType", "Blob", "resourceId", 2)
            .content())
        .anyMatch(Content.Embedded.class::isInstance);
    Json weather =
        call(everything, "get-structured-content", "location", "Chicago").structured();
    assertThat(weather.get("temperature")).isNotNull();
    assertThat(call(
                everything,
                "gzip-file-as-resource",
                "name",
                "a.gz",
                "data",
                "data:text/plain,hello",
                "outputType",
                "resource")
            .content())
        .anyMatch(Content.Embedded.class::isInstance);
    assertThat(everything.call("get-sum", Map.of("a", "one")).isError()).isTrue();
  }

  @Test
  void everythingAsksThisClient() {
    assertThat(text(everything, "trigger-sampling-request", "prompt", "x", "maxTokens", 10))
        .contains("forty-two", "test-model");
    assertThat(text(everything, "trigger-elicitation-request")).contains("Ann");
    assertThat(text(everything, "get-roots-list")).contains("shared");
  }

  @Test
  void aLongOperationReportsProgressAndCanBeGivenUp() {
    List<Progress> steps = Collections.synchronizedList(new ArrayList<>());
    ToolResult result = everything
        .request("trigger-long-running-operation")
        .arguments(Map.of("duration", 0.1, "steps", 2))
        .onProgress(steps::add)
        .call();
    assertThat(result.isError()).isFalse();
    assertThat(steps).extracting(Progress::progress).containsExactly(1.0, 2.0);

    assertThatThrownBy(() -> everything
            .request("trigger-long-running-operation")
            .arguments(Map.of("duration", 300, "steps", 1))
            .timeout(Duration.ofMillis(50))
            .call())
        .isInstanceOf(CallTimeoutException.class);
    assertThat(text(everything, "echo", "message", "still here")).contains("still here");
  }

  @Test
  void aToolThatIsAlwaysATaskIsCalledAsOne() {
    assertThat(text(everything, "simulate-research-query", "topic", "tea")).contains("tea");
  }

  @Test
  void theResourcesOfEverythingAreRead() {
    List<Resource> resources = everything.resources().toList();
    assertThat(resources).hasSizeGreaterThanOrEqualTo(7);
    for (Resource resource : resources) {
      assertThat(everything.read(resource.uri())).as(resource.uri()).isNotEmpty();
    }
    assertThat(everything.templates().map(ResourceTemplate::uriTemplate))
        .containsExactlyInAnyOrder(
            "demo://resource/dynamic/text/{resourceId}",
            "demo://resource/dynamic/blob/{resourceId}");
    assertThat(everything.read("demo://resource/dynamic/text/3").get(0).text())
        .startsWith("Resource 3");
    assertThat(new String(
            Base64.getDecoder()
                .decode(everything.read("demo://resource/dynamic/blob/3").get(0).blob()),
            UTF_8))
        .startsWith("Resource 3");
    assertThatThrownBy(() -> everything.read("demo://nothing")).isInstanceOf(RpcException.class);
  }

  @Test
  void thePromptsOfEverythingAreRendered() {
    assertThat(everything.prompts().map(RemotePrompt::name))
        .containsExactlyInAnyOrder(
            "simple-prompt", "args-prompt", "completable-prompt", "resource-prompt");
    assertThat(everything.prompt("simple-prompt", Map.of()).messages()).hasSize(1);
    assertThat(
            everything.prompt("args-prompt", Map.of("city", "Ghent")).messages().toString())
        .contains("Ghent");
    assertThat(everything
            .prompt("resource-prompt", Map.of("resourceType", "Text", "resourceId", "1"))
            .messages())
        .hasSize(2);
    assertThat(everything
            .completePrompt("completable-prompt", "department", "E", Map.of())
            .values())
        .containsExactly("Engineering");
    assertThat(everything
            .completePrompt("completable-prompt", "name", "A", Map.of("department", "Engineering"))
            .values())
        .containsExactly("Alice");
  }

  // ---------------------------------------------------------------- the others

  @Test
  void theRootsOfThisClientAreTheFoldersOfFilesystem() throws Exception {
    assertThat(tools(files)).hasSize(14);
    Path shared = folder.resolve("shared").toRealPath();
    // The server asks for the roots when it has started.
    while (!text(files, "list_allowed_directories").contains(shared.toString())) {
      Thread.onSpinWait();
    }
    Path file = shared.resolve("b.txt");
    call(files, "write_file", "path", file.toString(), "content", "one\ntwo\n");
    assertThat(Files.readString(file)).isEqualTo("one\ntwo\n");
    String path = file.toString();
    for (String tool : List.of("read_text_file", "read_file")) {
      assertThat(text(files, tool, "path", path)).isEqualTo("one\ntwo\n");
    }
    assertThat(text(files, "read_multiple_files", "paths", List.of(path))).contains("two");
    assertThat(text(files, "get_file_info", "path", path)).contains("size: 8");
    assertThat(text(files, "search_files", "path", shared.toString(), "pattern", "**/*.txt"))
        .contains("b.txt");
    for (String tool : List.of("list_directory", "list_directory_with_sizes", "directory_tree")) {
      assertThat(text(files, tool, "path", shared.toString())).contains("b.txt");
    }
    Files.write(shared.resolve("c.png"), new byte[] {1, 2, 3});
    assertThat(call(files, "read_media_file", "path", shared.resolve("c.png").toString())
            .content())
        .isNotEmpty();
    Map<String, String> edit = Map.of("oldText", "two", "newText", "three");
    assertThat(text(files, "edit_file", "path", path, "edits", List.of(edit), "dryRun", true))
        .contains("+three");
    assertThat(files.call("read_file", Map.of("path", "/etc/passwd")).isError()).isTrue();
  }

  @Test
  void memoryKeepsAGraph() {
    assertThat(tools(memory)).hasSize(9);
    Map<String, Object> entity =
        Map.of("name", "Ann", "entityType", "person", "observations", List.of("drinks tea"));
    Json created = call(memory, "create_entities", "entities", List.of(entity)).structured();
    assertThat(created.get("entities").elements()).hasSize(1);
    assertThat(text(memory, "search_nodes", "query", "tea")).contains("Ann");
    assertThat(text(memory, "open_nodes", "names", List.of("Ann"))).contains("drinks tea");
    assertThat(call(memory, "read_graph").structured().get("entities").elements())
        .hasSize(1);
    assertThat(memory.read("memory://knowledge-graph").get(0).text()).contains("Ann");
    call(memory, "delete_entities", "entityNames", List.of("Ann"));
    assertThat(call(memory, "read_graph").structured().get("entities").elements())
        .isEmpty();
  }

  @Test
  void sequentialThinkingCountsThoughts() {
    assertThat(tools(thinking)).containsExactly("sequentialthinking");
    for (int number = 1; number <= 2; number++) {
      Json result = call(
              thinking,
              "sequentialthinking",
              "thought",
              "Consider " + number,
              "nextThoughtNeeded",
              number < 2,
              "thoughtNumber",
              number,
              "totalThoughts",
              2)
          .structured();
      assertThat(result.get("thoughtHistoryLength").as(int.class)).isEqualTo(number);
    }
  }
}
