package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.Revision;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the extensions that a server declares, and their requests. */
@Timeout(60)
class ExtensionsTest {
  private static final String UI = "io.modelcontextprotocol/ui";

  private static McpServer.Builder server() {
    return McpServer.builder("test", "1");
  }

  private static Json ask(McpClient client, String method, String params) throws Exception {
    return client.send(method, Json.parse(params)).get(30, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "http://127.0.0.1:0/mcp"})
  void aClientSeesAnExtensionAndCallsItsRequests(String endpoint) throws Exception {
    McpServer server = server()
        .extension("com.example/skills", Json.parse("{\"directoryRead\":true}"))
        .method(
            "skills/list",
            (call, params) ->
                Map.of("skills", List.of(call.client().name() + " " + params.string("topic"))))
        .method("skills/later", (call, params) -> CompletableFuture.completedFuture(null))
        .build();
    try (Server listening = server.listen(endpoint);
        McpClient client =
            McpClient.builder("reader", "1").connect(listening.endpoint().toString())) {
      assertThat(client.capabilities().get("extensions"))
          .hasToString("{\"com.example/skills\":{\"directoryRead\":true}}");
      Json listed = ask(client, "skills/list", "{\"topic\":\"pdf\"}");
      assertThat(listed.get("skills")).hasToString("[\"reader pdf\"]");
      assertThat(listed.get("resultType")).hasToString("\"complete\"");
      assertThat(ask(client, "skills/later", "{}").get("resultType")).isNotNull();
    }
  }

  @Test
  void earlierRevisionsHaveTheRequestsWithoutTheDeclaration() throws Exception {
    McpServer server = server()
        .extension("com.example/skills", Json.EMPTY_OBJECT)
        .method("skills/list", (call, params) -> Map.of("skills", List.of()))
        .build();
    try (Server listening = server.listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.builder("reader", "1")
            .revisions(Revision.V2025_11_25)
            .connect(listening.endpoint().toString())) {
      assertThat(client.capabilities().get("extensions")).isNull();
      assertThat(ask(client, "skills/list", "{}")).hasToString("{\"skills\":[]}");
    }
  }

  @Test
  void aFailureOfARequestIsAnsweredWithoutItsMessage() throws Exception {
    McpServer server = server()
        .method("skills/list", (call, params) -> List.of("no object"))
        .method("skills/get", (call, params) -> {
          throw new IllegalStateException("secret");
        })
        .build();
    try (Server listening = server.listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.connect(listening.endpoint().toString())) {
      for (String method : List.of("skills/list", "skills/get")) {
        assertThatThrownBy(() -> ask(client, method, "{}"))
            .cause()
            .isInstanceOf(RpcException.class)
            .hasMessageContaining("Internal error")
            .hasMessageNotContainingAny("secret", "no object");
      }
    }
  }

  @Test
  void aServerOfMcpAppsDeclaresItsPageAndItsTool() throws Exception {
    McpServer server = server()
        .extension(UI, Json.EMPTY_OBJECT)
        .resource(
            Resource.of("ui://weather/view", "view", "the weather", "text/html;profile=mcp-app"),
            call -> "<!doctype html><title>Weather</title>")
        .tool(Tool.named("forecast")
            .meta(Json.parse("{\"ui\":{\"resourceUri\":\"ui://weather/view\"}}"))
            .handle((call, arguments) -> "sunny"))
        .build();
    try (Server listening = server.listen("tcp://127.0.0.1:0");
        McpClient client = McpClient.connect(listening.endpoint().toString())) {
      assertThat(client.capabilities().get("extensions").get(UI)).isEqualTo(Json.EMPTY_OBJECT);
      assertThat(client.tools().findFirst().orElseThrow().json().get("_meta"))
          .hasToString("{\"ui\":{\"resourceUri\":\"ui://weather/view\"}}");
      assertThat(client.read("ui://weather/view").get(0).mimeType())
          .isEqualTo("text/html;profile=mcp-app");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ui", "/ui", "com.example/", "1com/ui", "com..example/ui", "a-/b"})
  void anExtensionNeedsANameWithAPrefix(String name) {
    assertThatThrownBy(() -> server().extension(name, Json.EMPTY_OBJECT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the name of an extension");
  }

  @Test
  void namesOfMcpAreReserved() {
    for (String name : List.of("tools/list", "initialize", "notifications/x", "rpc.x", "", "a b")) {
      assertThatThrownBy(() -> server().method(name, (call, params) -> null).build())
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
