package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.Options;
import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.ClientCapabilities;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.message.RpcError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolTest {
  record Place(@Param(description = "Where, in English") String city, Optional<Integer> days) {}

  record Weather(int degrees) {}

  private static final Tool.Handler NOTHING = (call, arguments) -> null;

  @Test
  void aRecordDefinesTheInputSchema() {
    Tool tool = Tool.named("forecast").handle(Place.class, (call, place) -> place.city());
    assertThat(tool.input()).isEqualTo(Json.parse("""
        {"type":"object","properties":{\
        "city":{"type":"string","description":"Where, in English"},\
        "days":%s},\
        "required":["city"],"additionalProperties":false}""".formatted(
            Json.schemaOf(Place.class).get("properties").get("days"))));
  }

  @Test
  void eachRevisionGetsOnlyItsMembers() {
    Tool tool = Tool.named("forecast")
        .title("Forecast")
        .output(Weather.class)
        .readOnly(true)
        .handle(NOTHING);
    assertThat(tool.json(Revision.V2024_11_05).members()).containsOnlyKeys("name", "inputSchema");
    assertThat(tool.json(Revision.V2025_03_26).members())
        .containsOnlyKeys("name", "inputSchema", "annotations");
    assertThat(tool.json(Revision.V2025_06_18).members())
        .containsOnlyKeys("name", "inputSchema", "annotations", "title", "outputSchema");
  }

  @Test
  void structuredContentThatIsNoObjectIsOnlyForRevisionsThatAllowIt() {
    Tool tool = Tool.named("count").output(int.class).handle(NOTHING);
    assertThat(tool.json(Revision.V2025_11_25).get("outputSchema")).isNull();
    assertThat(tool.json(Revision.V2026_07_28).get("outputSchema")).isNotNull();
    ToolResult five = ToolResult.structured(5);
    assertThat(five.members(Revision.V2025_11_25).build()).isEqualTo(Json.parse("""
        {"content":[{"text":"5","type":"text"}]}"""));
    assertThat(five.members(Revision.V2026_07_28).build().get("structuredContent"))
        .isEqualTo(Json.of(5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"{\"n\":1};", "{};n", "{\"n\":\"1\"};/n", "{\"n\":1,\"m\":2};m", "{\"n\":11};/n"})
  void argumentsAreValidatedByTheSchema(String arguments, String told) {
    Tool tool = Tool.named("t").input(Json.parse("""
        {"type":"object","properties":{"n":{"$ref":"#/$defs/small"}},\
        "$defs":{"small":{"type":"integer","maximum":10}},\
        "required":["n"],"additionalProperties":false}""")).handle(NOTHING);
    if (told == null) {
      assertThat(tool.fault(Json.parse(arguments), () -> {})).isNull();
    } else {
      assertThat(tool.fault(Json.parse(arguments), () -> {})).contains(told);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "\u00e9"})
  void anInvalidNameIsRejected(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tool.named(name))
        .withMessageContaining("'" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"string\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A B\"}}}"
      })
  void aSchemaThatClientsWouldRejectIsRejected(String schema) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tool.named("t").input(Json.parse(schema)).handle(NOTHING));
  }

  @Test
  void headersMirrorAtMost100Arguments() {
    assertThat(Tool.named("t").input(marked(100)).handle(NOTHING).name()).isEqualTo("t");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tool.named("t").input(marked(101)).handle(NOTHING))
        .withMessageContaining("more than 100 properties");
  }

  private static Json marked(int count) {
    Map<String, Object> properties = new HashMap<>();
    for (int i = 0; i < count; i++) {
      properties.put("p" + i, Map.of("type", "string", "x-mcp-header", "h" + i));
    }
    return Json.of(Map.of("type", "object", "properties", properties));
  }

  /** Methods with return types of MCP. */
  static final class Answers {
    @McpTool("A whole result")
    public ToolResult result() {
      return ToolResult.error("no");
    }

    @McpTool("Content")
    public Content content() {
      return Content.text("one");
    }

    @McpTool("A failure that the options map")
    public String mapped() {
      throw new UnsupportedOperationException();
    }

    @McpTool("The same, later")
    public CompletableFuture<String> mappedLater() {
      return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @McpTool("Content later")
    public CompletableFuture<List<Content>> later() {
      return CompletableFuture.completedFuture(List.of(Content.text("one"), Content.text("two")));
    }
  }

  @ParameterizedTest
  @CsvSource({"result,true,1", "content,,1", "later,,2"})
  void aMethodMayReturnTypesOfMcp(String tool, @Nullable String isError, int blocks)
      throws Exception {
    Json result = answer(tool);
    assertThat(result.get("content").elements()).hasSize(blocks);
    assertThat(result.get("isError")).isEqualTo(isError == null ? null : Json.TRUE);
    assertThat(result.get("structuredContent")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mapped", "mappedLater"})
  void aMappedExceptionIsAnErrorOfJsonRpc(String tool) {
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> answer(tool))
        .satisfies(e -> assertThat(e.code()).isEqualTo(7));
  }

  private static Json answer(String tool) throws Exception {
    McpServer answers = McpServer.builder("answers", "1")
        .options(Options.builder()
            .mapException(UnsupportedOperationException.class, new RpcError(7, "never"))
            .build())
        .tools(new Answers())
        .build();
    try (Server server = answers.listen("mem:answers");
        Peer peer = Repartee.connect(server.endpoint())) {
      return peer.request("tools/call")
          .arg("name", tool)
          .arg(
              "_meta",
              Json.parse("{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                  + "\"io.modelcontextprotocol/clientCapabilities\":{}}"))
          .call(Json.class);
    }
  }

  @Test
  void aResultThatDoesNotFitTheOutputSchemaIsAFailure() {
    Json schema = Json.parse("""
        {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}""");
    Tool tool = Tool.named("t").output(schema).handle(NOTHING);
    assertThat(tool.misfit(Json.parse("{\"n\":1}"), Revision.V2025_11_25, () -> {}))
        .isNull();
    assertThat(tool.misfit(Json.parse("{\"n\":\"1\"}"), Revision.V2025_11_25, () -> {}))
        .contains("/n");
    assertThat(tool.misfit(null, Revision.V2025_11_25, () -> {})).contains("no structured content");
    assertThat(tool.misfit(null, Revision.V2025_03_26, () -> {})).isNull();
  }

  @Test
  void contentThatARevisionDoesNotHaveBecomesText() {
    Content sound = Content.audio(new byte[1], "audio/wav");
    assertThat(sound.json(Revision.V2025_03_26).get("type")).isEqualTo(Json.of("audio"));
    assertThat(sound.json(Revision.V2024_11_05).toString()).contains("\"text\"", "audio/wav");
    Content link = Content.link(Resource.of("test://one", "one", "The first", "text/plain"));
    assertThat(link.json(Revision.V2025_06_18).get("type")).isEqualTo(Json.of("resource_link"));
    assertThat(link.json(Revision.V2025_03_26).toString()).contains("\"text\":\"test://one\"");
  }

  @Test
  void samplingWithToolsNeedsTheCapability() {
    Sampling plain = Sampling.of("Hi", 10);
    Sampling tools = plain.with("tools", List.of());
    ClientCapabilities some = new ClientCapabilities(Json.parse("{\"sampling\":{}}"));
    ClientCapabilities all = new ClientCapabilities(Json.parse("{\"sampling\":{\"tools\":{}}}"));
    assertThat(plain.isTakenBy(some)).isTrue();
    assertThat(tools.isTakenBy(some)).isFalse();
    assertThat(tools.isTakenBy(all)).isTrue();
    assertThat(tools.capability()).isEqualTo(Json.parse("{\"sampling\":{\"tools\":{}}}"));
  }

  /** A type with members of any JSON value, at several depths. */
  record Anything(Json one, java.util.List<Json> many, java.util.Map<String, Json> named) {}

  @Test
  void noSchemaIsTrueBecauseManyClientsSupportOnlyObjects() {
    Tool tool = Tool.named("any").output(Anything.class).handle(Anything.class, (call, any) -> any);
    assertThat(tool.json(Revision.V2025_11_25).toString())
        .doesNotContain(":true,", "true}", "[true");
  }
}
