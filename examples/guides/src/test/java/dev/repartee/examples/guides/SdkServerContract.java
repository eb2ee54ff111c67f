package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.Completion;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.Progress;
import dev.repartee.mcp.client.RemotePrompt;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Our MCP client against a server of another SDK over Streamable HTTP, in the newest revision of
 * that SDK. All servers have the same tools, resources and prompts. A server runs once for its class.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("deprecation") // of the specification, and still supported
abstract class SdkServerContract {
  private static final byte[] PIXEL = Base64.getDecoder().decode("iVBORw0KGgo=");

  private final List<String> logs = new CopyOnWriteArrayList<>();
  private McpClient client;

  /** Starts the server and returns its address. */
  abstract String start() throws Exception;

  abstract void stop() throws Exception;

  /** Returns the revision that the client and the server agree on. */
  abstract Revision revision();

  /** Returns the address that a program prints first, and drops the rest of its output. */
  static String address(Process server) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(server.getInputStream(), UTF_8));
    List<String> said = new ArrayList<>();
    String line = lines.readLine();
    while (line != null && !line.startsWith("http://")) {
      said.add(line);
      line = lines.readLine();
    }
    assertThat(line).as(String.join("\n", said)).isNotNull();
    Thread rest = new Thread(() -> lines.lines().forEach(each -> {}));
    rest.setDaemon(true);
    rest.start();
    return line;
  }

  /** Returns the path of a program among the resources of the tests. */
  static Path program(String name) throws Exception {
    return Path.of(SdkServerContract.class.getResource("/mcp/" + name).toURI());
  }

  @BeforeAll
  void connect() throws Exception {
    client = McpClient.builder("test", "1.0")
        .onLog(message -> logs.add(message.level() + " " + message.data()))
        .connect(start());
  }

  @AfterAll
  void close() throws Exception {
    if (client != null) {
      client.close();
    }
    stop();
  }

  @Test
  void theNewestRevisionOfTheServerIsUsed() {
    assertThat(client.revision()).isEqualTo(revision());
  }

  @Test
  void toolsAreListedAndCalled() {
    Map<String, RemoteTool> tools =
        client.tools().collect(Collectors.toMap(RemoteTool::name, tool -> tool));
    assertThat(tools).containsOnlyKeys("add", "count", "fail", "picture");
    RemoteTool add = tools.get("add");
    assertThat(add.description()).isEqualTo("Adds two numbers");
    assertThat(add.input().get("properties").get("a")).isNotNull();
    assertThat(add.output()).isNotNull();

    ToolResult result = client.call("add", Map.of("a", 2, "b", 3));
    assertThat(result.isError()).isFalse();
    assertThat(result.structured().get("sum").as(int.class)).isEqualTo(5);
  }

  @Test
  void aFailedToolAndInvalidArgumentsAreErrors() {
    ToolResult failed = client.call("fail", Map.of());
    assertThat(failed.isError()).isTrue();
    assertThat(String.valueOf(failed.content())).contains("sold out");
    boolean refused;
    try {
      refused = client.call("add", Map.of("a", "two")).isError();
    } catch (RpcException e) {
      refused = true;
    }
    assertThat(refused).isTrue();
  }

  @Test
  void progressAndLogMessagesArriveBeforeTheResult() {
    List<Progress> steps = Collections.synchronizedList(new ArrayList<>());
    ToolResult result = client
        .request("count")
        .argument("to", 3)
        .logLevel(LogLevel.INFO)
        .onProgress(steps::add)
        .call();
    assertThat(String.valueOf(result.content())).contains("counted to 3");
    assertThat(steps).hasSize(3);
    assertThat(steps.get(2).progress()).isEqualTo(3);
    assertThat(steps.get(2).message()).isEqualTo("step 3");
    assertThat(logs).contains("INFO \"counted\"");
  }

  @Test
  void anImageHasItsBytes() {
    Json image = client.call("picture", Map.of()).content().get(0).json();
    assertThat(image.get("mimeType")).isEqualTo(Json.of("image/png"));
    assertThat(Base64.getDecoder().decode(image.get("data").as(String.class))).isEqualTo(PIXEL);
  }

  @Test
  void resourcesAreListedAndRead() {
    assertThat(client.resources().map(Resource::uri))
        .containsExactlyInAnyOrder("demo://greeting", "demo://pixel");
    assertThat(client.templates().map(ResourceTemplate::uriTemplate))
        .containsExactly("demo://item/{id}");
    assertThat(client.read("demo://greeting"))
        .singleElement()
        .extracting(ResourceContents::text)
        .isEqualTo("Hello");
    assertThat(Base64.getDecoder().decode(client.read("demo://pixel").get(0).blob()))
        .isEqualTo(PIXEL);
    assertThat(client.read("demo://item/7").get(0).text()).isEqualTo("item 7");
    assertThatThrownBy(() -> client.read("demo://nothing")).isInstanceOf(RpcException.class);
  }

  @Test
  void promptsAreListedRenderedAndCompleted() {
    assertThat(client.prompts().map(RemotePrompt::name)).containsExactly("review");
    assertThat(client.prompt("review", Map.of("code", "x = 1")).messages())
        .singleElement()
        .satisfies(message -> assertThat(String.valueOf(message)).contains("Review x = 1"));
    Completion completion = client.completePrompt("review", "language", "ja", Map.of());
    assertThat(completion.values()).containsExactly("java", "javascript");
  }

  @Test
  void anUnknownToolAndAnUnknownMethodAreErrors() {
    boolean refused;
    try {
      refused = client.call("nothing", Map.of()).isError();
    } catch (RpcException e) {
      refused = true;
    }
    assertThat(refused).isTrue();
    assertThat(client.send("no/such/method", Json.EMPTY_OBJECT))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withCauseInstanceOf(RpcException.class);
  }
}
