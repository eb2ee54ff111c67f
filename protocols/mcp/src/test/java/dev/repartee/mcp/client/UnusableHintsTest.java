package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.ProtocolException;
import dev.repartee.json.Json;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.transport.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests hints of a server that a client cannot use, and addresses that it must not forward. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnusableHintsTest {
  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e400", "1e999999999", "-1", "'5'", "true", "{}"})
  void aTimeToKeepAResultThatCannotBeUsedIsNoHint(String ttl) throws Exception {
    String tools = json("{'resultType':'complete','ttlMs':" + ttl
            + ",'tools':[{'name':'t','inputSchema':{'type':'object'}}]}")
        .toString();
    try (ScriptedServer server = ScriptedServer.stateless(request -> request.result(tools));
        McpClient client = McpClient.connect(server.uri())) {
      assertThat(client.tools().map(RemoteTool::name)).containsExactly("t");
      assertThat(client.tools()).hasSize(1);
      assertThat(server.count("tools/list")).isEqualTo(2);
    }
  }

  @Test
  void aPriorityAndASizeThatNoDoubleCanHoldAreNoHints() throws Exception {
    String result = json("{'resultType':'complete','content':[{'type':'text','text':'a',"
            + "'annotations':{'priority':1e999}},{'type':'resource_link','uri':'a:b','name':'n',"
            + "'size':1e999}]}")
        .toString();
    try (ScriptedServer server = ScriptedServer.stateless(request -> request.result(result));
        McpClient client = McpClient.connect(server.uri())) {
      List<Content> content = client.call("t", null).content();
      assertThat(((Content.Text) content.get(0)).annotations().priority()).isNull();
      assertThat(((Content.Link) content.get(1)).resource().size()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "file:///etc/passwd",
        "/in",
        "https:x",
        "https://a/\u001b[31m"
      })
  void aPageThatIsNoneOfTheWebDoesNotReachTheHandler(String url) throws Exception {
    List<Elicitation> asked = new ArrayList<>();
    Json page = Json.of(Map.of("mode", "url", "message", "go", "url", url, "elicitationId", "1"));
    String result = """
        {"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create",\
        "params":%s}}}""".formatted(page);
    try (ScriptedServer server = ScriptedServer.stateless(request -> request.result(result));
        McpClient client = McpClient.builder("t", "1")
            .onElicitation(question -> {
              asked.add(question);
              return new Elicitation.Answer("accept", null);
            })
            .connect(server.uri())) {
      assertThatThrownBy(() -> client.call("t", null))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("expected the http: or https: address of a page");
      assertThat(asked).isEmpty();
    }
  }

  @Test
  void theExtensionsOfAnAuthorizationAreDeclared() throws Exception {
    HttpAuthorization authorization = new HttpAuthorization() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        return CompletableFuture.completedStage(Headers.NONE);
      }

      @Override
      public CompletionStage<Boolean> refused(Refusal refusal) {
        return CompletableFuture.completedStage(false);
      }

      @Override
      public Map<String, Json> extensions() {
        return Map.of("com.example/auth", Json.EMPTY_OBJECT, "com.example/b", Json.EMPTY_OBJECT);
      }
    };
    try (ScriptedServer server = ScriptedServer.stateless(request -> request.error(404, "{}"));
        McpClient client = McpClient.builder("t", "1")
            .authorization(authorization)
            .extension("com.example/b", json("{'c':1}"))
            .connect(server.uri())) {
      Json meta = server.heard.get(0).message().get("params").get("_meta");
      assertThat(meta.get("io.modelcontextprotocol/clientCapabilities")
              .get("extensions")
              .members())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of("com.example/auth", Json.EMPTY_OBJECT, "com.example/b", json("{'c':1}")));
      assertThat(client.revision().isStateless()).isTrue();
    }
  }
}
