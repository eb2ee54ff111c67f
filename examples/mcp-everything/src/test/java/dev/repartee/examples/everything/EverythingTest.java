package dev.repartee.examples.everything;

import static dev.repartee.examples.everything.Client.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Server;
import dev.repartee.examples.everything.Client.Reply;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Role;
import dev.repartee.mcp.types.Sampling;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests each tool, prompt and resource, in both eras, over HTTP. */
class EverythingTest {
  private static final String ABLE = """
      {"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}""";

  private static Server server;

  @BeforeAll
  static void listen() throws IOException {
    server = Everything.server(null).listen("http://127.0.0.1:0/mcp");
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static URI uri() {
    return URI.create(server.endpoint().toString());
  }

  /** Returns a client with all capabilities. Its user, model and roots always answer the same. */
  private static Client client(Era era) {
    return new Client(era, uri(), ABLE, Map.of("Mcp-Param-Region", "north"))
        .answering("elicitation/create", EverythingTest::fillIn)
        .answering("sampling/createMessage", params -> Json.parse("""
            {"role":"assistant","model":"test-model","content":{"type":"text",\
            "text":"Paris"},"stopReason":"endTurn"}"""))
        .answering(
            "roots/list", params -> Json.parse("{\"roots\":[{\"uri\":\"file:///test/root\"}]}"));
  }

  private static final Map<String, Object> FILLED_IN = Map.of(
      "name", "Alice",
      "color", "blue",
      "ok", true,
      "confirm", true,
      "context", "tests",
      "username", "alice",
      "email", "alice@example.com");

  /** Fills in each field of a form. */
  private static Json fillIn(Json params) {
    Map<String, Object> content = new LinkedHashMap<>();
    Json form = params.get("requestedSchema");
    if (form == null) {
      return Json.parse("{\"action\":\"accept\"}");
    }
    at(form, "properties").members().keySet().forEach(field -> {
      if (FILLED_IN.containsKey(field)) {
        content.put(field, FILLED_IN.get(field));
      }
    });
    return Json.of(Map.of("action", "accept", "content", content));
  }

  private static List<String> names(Reply reply, String list) {
    return at(reply.result(), list).elements().stream()
        .map(entry -> at(entry, "name").as(String.class))
        .toList();
  }

  // ---------------------------------------------------------------- identity

  @Test
  void messagesAreCheckedAgainstTheSchemaOfTheirRevision() {
    for (Era era : Era.values()) {
      WireSchema schema = WireSchema.of(era);
      assumeTrue(
          schema.isThere(), "the schemas of MCP are not where " + WireSchema.FOLDER + " says");
      Json wrong = Json.parse("""
          {"jsonrpc":"2.0","id":1,"result":{"tools":[{}]}}""");
      assertThatThrownBy(() -> schema.check("tools/list", wrong))
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void aSecondInitializeIsRefused() {
    try (Client client = client(Era.SESSIONS)) {
      Reply reply = client.once(
          "initialize",
          Map.of(
              "protocolVersion", "2025-11-25",
              "capabilities", Map.of(),
              "clientInfo", Map.of("name", "again", "version", "1")));

      assertThat(reply.code()).isEqualTo(-32600);
      assertThat(at(reply.error(), "message").toString())
          .contains("initialize was answered already");
    }
  }

  @Test
  void discoverReturnsIdentityAndCapabilities() {
    Json result = client(Era.STATELESS).call("server/discover", Map.of()).result();

    assertThat(at(result, "supportedVersions")).isEqualTo(Json.parse("[\"2026-07-28\"]"));
    assertThat(at(result, "capabilities", "tools")).isEqualTo(Json.parse("{\"listChanged\":true}"));
    assertThat(at(result, "capabilities", "prompts"))
        .isEqualTo(Json.parse("{\"listChanged\":true}"));
    assertThat(at(result, "capabilities", "resources"))
        .isEqualTo(Json.parse("{\"subscribe\":true,\"listChanged\":true}"));
    assertThat(at(result, "capabilities").members()).containsKeys("logging", "completions");
    assertThat(at(result, "instructions").toString()).contains("trying out clients");
    Json self = at(result, "_meta", "io.modelcontextprotocol/serverInfo");
    assertThat(at(self, "name")).isEqualTo(Json.of("repartee-everything"));
    assertThat(at(self, "title")).isEqualTo(Json.of("Everything"));
    assertThat(at(self, "icons", 0, "src").toString()).startsWith("\"data:image/png;base64,");
    assertThat(at(result, "ttlMs")).isEqualTo(Json.of(5000));
    assertThat(at(result, "cacheScope")).isEqualTo(Json.of("public"));
  }

  @Test
  void everyStatelessResultNamesTheServer() {
    Json result = client(Era.STATELESS).tool("test_simple_text", "{}").result();

    assertThat(at(result, "_meta")).isEqualTo(Json.parse("""
        {"io.modelcontextprotocol/serverInfo":{"name":"repartee-everything",\
        "version":"0.1.0"}}"""));
  }

  // ---------------------------------------------------------------- tools with a text

  /**
   * The text of each tool that returns nothing but a text. The other tools have separate tests.
   */
  private static final Map<String, String> TEXTS = Map.ofEntries(
      Map.entry("test_simple_text", "This is a simple text response for testing."),
      Map.entry("test_tool_with_progress", "Tool with progress completed"),
      Map.entry("test_tool_with_logging", "Tool with logging executed successfully"),
      Map.entry("test_logging_tool", "Logged at 8 levels"),
      Map.entry("test_reconnection", "Reconnection test completed"),
      Map.entry("count_slowly", "Counted to 2"),
      Map.entry("test_custom_header", "Asked in north"),
      Map.entry("json_schema_2020_12_tool", "A contact: {\"email\":\"a@example.com\"}"),
      Map.entry("test_sampling", "LLM response: Paris"),
      Map.entry("test_elicitation", "User response: alice <alice@example.com>"),
      Map.entry(
          "test_elicitation_sep1034_defaults",
          "Elicitation completed: action=accept, content={\"name\":\"Alice\"}"),
      Map.entry(
          "test_elicitation_sep1330_enums", "Elicitation completed: action=accept, content={}"),
      Map.entry("sign_in", "Thank you"),
      Map.entry("test_missing_capability", "Paris"),
      Map.entry("test_streaming_elicitation", "It went on"),
      Map.entry("test_input_required_result_elicitation", "Hello, Alice!"),
      Map.entry("test_input_required_result_sampling", "Paris"),
      Map.entry("test_input_required_result_list_roots", "Roots: file:///test/root"),
      Map.entry("test_input_required_result_tampered_state", "Confirmed"),
      Map.entry("test_input_required_result_multi_round", "Alice likes blue"),
      Map.entry("greet", "Hello, Bob!"),
      Map.entry("slow_compute", "Computed nothing for 0.0 s"),
      Map.entry("confirm_delete", "Deleted a.txt (not really)"),
      Map.entry("multi_input", "Answered: first, second"),
      Map.entry("test_tool_with_task", "Hello, Alice!"));

  private static final Map<String, String> ARGUMENTS = Map.of(
      "greet", "{\"name\":\"Bob\"}",
      "slow_compute", "{\"seconds\":0,\"label\":\"nothing\"}",
      "confirm_delete", "{\"filename\":\"a.txt\"}",
      "count_slowly", "{\"to\":2}",
      "test_custom_header", "{\"region\":\"north\"}",
      "json_schema_2020_12_tool", "{\"email\":\"a@example.com\"}",
      "test_sampling", "{\"prompt\":\"What is the capital of France?\"}",
      "test_elicitation", "{\"message\":\"Who are you?\"}");

  /** The tools that the tests below and the other test classes call. */
  private static final Set<String> OTHERS = Set.of(
      "test_error_handling",
      "measure_text",
      "score",
      "test_image_content",
      "test_audio_content",
      "test_embedded_resource",
      "test_multiple_content_types",
      "show_annotations",
      "test_input_required_result_request_state",
      "test_input_required_result_multiple_inputs",
      "test_input_required_result_capabilities",
      "change_watched_resource",
      "write_note",
      "test_trigger_tool_change",
      "test_trigger_prompt_change",
      "failing_job",
      "protocol_error_job");

  @ParameterizedTest
  @EnumSource
  void everyToolIsListedWithADescriptionAndASchema(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.call("tools/list", Map.of());

      Set<String> tested = new TreeSet<>(TEXTS.keySet());
      tested.addAll(OTHERS);
      List<String> names = new ArrayList<>(names(reply, "tools"));
      names.remove("now_and_then");
      assertThat(names).containsExactlyInAnyOrderElementsOf(tested);
      assertThat(at(reply.result(), "tools").elements()).allSatisfy(tool -> {
        assertThat(at(tool, "description").as(String.class)).isNotBlank();
        assertThat(at(tool, "inputSchema", "type")).isEqualTo(Json.of("object"));
      });
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyToolWithATextResultReturnsItsText(Era era) {
    try (Client client = client(era)) {
      TEXTS.forEach((tool, text) -> {
        Reply reply = client.tool(tool, ARGUMENTS.getOrDefault(tool, "{}"));

        assertThat(at(reply.result(), "content"))
            .as(tool)
            .isEqualTo(Json.of(List.of(Content.text(text).json())));
        assertThat(reply.result().get("isError")).as(tool).isNull();
      });
    }
  }

  private static Json listed(Client client, String name) {
    return at(client.call("tools/list", Map.of()).result(), "tools").elements().stream()
        .filter(tool -> Json.of(name).equals(tool.get("name")))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void aRecordIsStructuredContentOfAStatedSchema(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("measure_text", "{\"text\":\"to be or not\"}");

      Json measures = Json.parse("{\"words\":4,\"characters\":12}");
      assertThat(at(reply.result(), "structuredContent")).isEqualTo(measures);
      assertThat(Json.parse(reply.text())).isEqualTo(measures);
      Json tool = listed(client, "measure_text");
      assertThat(at(tool, "outputSchema", "required"))
          .isEqualTo(Json.parse("[\"words\",\"characters\"]"));
      assertThat(at(tool, "inputSchema", "properties", "text", "description"))
          .isEqualTo(Json.of("What to measure"));
      assertThat(at(tool, "annotations", "readOnlyHint")).isEqualTo(Json.TRUE);
      assertThat(at(tool, "title")).isEqualTo(Json.of("Measure a text"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aToolMayHaveAllOptionalMembers(Era era) {
    try (Client client = client(era)) {
      assertThat(at(client.tool("score", "{}").result(), "structuredContent"))
          .isEqualTo(Json.parse("{\"points\":3}"));
      Json tool = listed(client, "score");
      assertThat(at(tool, "outputSchema", "properties", "points", "minimum")).isEqualTo(Json.of(0));
      assertThat(at(tool, "icons", 0, "sizes")).isEqualTo(Json.parse("[\"32x32\"]"));
      assertThat(at(tool, "_meta", "dev.repartee/since")).isEqualTo(Json.of("0.1"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void invalidArgumentsAreReportedToTheModel(Era era) {
    try (Client client = client(era)) {
      Reply missing = client.tool("measure_text", "{}");
      Reply wrong = client.tool("measure_text", "{\"text\":7}");
      Reply neither = client.tool("json_schema_2020_12_tool", "{\"contactMethod\":\"phone\"}");

      for (Reply reply : List.of(missing, wrong, neither)) {
        assertThat(at(reply.result(), "isError")).isEqualTo(Json.TRUE);
      }
      assertThat(missing.text()).contains("text");
      assertThat(wrong.text()).contains("text");
      assertThat(neither.text()).contains("phone");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHandwrittenSchemaIsListedUnchanged(Era era) {
    try (Client client = client(era)) {
      Json schema = at(listed(client, "json_schema_2020_12_tool"), "inputSchema");

      assertThat(at(schema, "$schema"))
          .isEqualTo(Json.of("https://json-schema.org/draft/2020-12/schema"));
      assertThat(at(schema, "$defs", "address", "$anchor")).isEqualTo(Json.of("addressDef"));
      assertThat(schema.members())
          .containsKeys("allOf", "if", "then", "else", "additionalProperties");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aToolThatFailsTellsTheModelWhy(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("test_error_handling", "{}");

      assertThat(at(reply.result(), "isError")).isEqualTo(Json.TRUE);
      assertThat(reply.text()).isEqualTo("This tool intentionally returns an error for testing");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aToolThatIsNotThereIsAnErrorThatNamesIt(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("no_such_tool", "{}");

      assertThat(reply.code()).isEqualTo(-32602);
      assertThat(at(reply.error(), "message").toString()).contains("no_such_tool");
    }
  }

  // ---------------------------------------------------------------- media

  private static void assertIsPicture(Json data) throws IOException {
    byte[] bytes = Base64.getDecoder().decode(data.as(String.class));
    var image = Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(bytes)));
    assertThat(image.getWidth()).isEqualTo(32);
    assertThat(image.getRGB(16, 16)).isEqualTo(0xFF3366CC);
    assertThat(image.getRGB(0, 0) >>> 24).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aPictureCanBeDecoded(Era era) throws Exception {
    try (Client client = client(era)) {
      Json block = at(client.tool("test_image_content", "{}").result(), "content", 0);

      assertThat(at(block, "type")).isEqualTo(Json.of("image"));
      assertThat(at(block, "mimeType")).isEqualTo(Json.of("image/png"));
      assertIsPicture(at(block, "data"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSoundCanBeDecoded(Era era) throws Exception {
    try (Client client = client(era)) {
      Json block = at(client.tool("test_audio_content", "{}").result(), "content", 0);

      assertThat(at(block, "type")).isEqualTo(Json.of("audio"));
      assertThat(at(block, "mimeType")).isEqualTo(Json.of("audio/wav"));
      byte[] bytes = Base64.getDecoder().decode(at(block, "data").as(String.class));
      try (var sound = AudioSystem.getAudioInputStream(new ByteArrayInputStream(bytes))) {
        assertThat(sound.getFrameLength()).isEqualTo(800);
        assertThat(sound.getFormat().getSampleRate()).isEqualTo(8000);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aResourceIsEmbeddedWithItsContent(Era era) {
    try (Client client = client(era)) {
      assertThat(at(client.tool("test_embedded_resource", "{}").result(), "content"))
          .isEqualTo(Json.parse("""
              [{"resource":{"uri":"test://embedded-resource",\
              "mimeType":"text/plain","text":"This is an embedded resource content."},\
              "type":"resource"}]"""));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerMayHaveSeveralBlocks(Era era) throws Exception {
    try (Client client = client(era)) {
      Json content = at(client.tool("test_multiple_content_types", "{}").result(), "content");

      assertThat(content.elements()).hasSize(3);
      assertThat(at(content, 0, "text")).isEqualTo(Json.of("Multiple content types test:"));
      assertIsPicture(at(content, 1, "data"));
      assertThat(at(content, 2, "resource", "uri"))
          .isEqualTo(Json.of("test://mixed-content-resource"));
      assertThat(Json.parse(at(content, 2, "resource", "text").as(String.class)))
          .isEqualTo(Json.parse("{\"test\":\"data\",\"value\":123}"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void blocksNameTheirAudience(Era era) {
    try (Client client = client(era)) {
      Json content = at(client.tool("show_annotations", "{}").result(), "content");

      assertThat(at(content, 0, "annotations"))
          .isEqualTo(Json.parse("{\"audience\":[\"user\"],\"priority\":1}"));
      assertThat(at(content, 1, "annotations", "lastModified"))
          .isEqualTo(Json.of("2026-07-28T00:00:00Z"));
    }
  }

  // ---------------------------------------------------------------- messages before the result

  private static List<Json> notifications(Reply reply, String method) {
    return reply.before().stream()
        .filter(message -> Json.of(method).equals(message.get("method")))
        .map(message -> at(message, "params"))
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  void progressIsSentOnlyToAClientWithAToken(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.call(
          "tools/call",
          Map.of("name", "test_tool_with_progress", "_meta", Map.of("progressToken", "token-1")));

      assertThat(notifications(reply, "notifications/progress"))
          .containsExactly(
              Json.parse("{\"progressToken\":\"token-1\",\"progress\":0,\"total\":100}"),
              Json.parse("""
                  {"progressToken":"token-1","progress":50,"total":100,\
                  "message":"half of it is done"}"""),
              Json.parse("{\"progressToken\":\"token-1\",\"progress\":100,\"total\":100}"));
      assertThat(client.tool("test_tool_with_progress", "{}").before()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void logMessagesAreSentFromTheRequestedLevelOn(Era era) {
    try (Client client = client(era).logging("error")) {
      assertThat(notifications(client.tool("test_logging_tool", "{}"), "notifications/message"))
          .extracting(params -> at(params, "level").as(String.class))
          .containsExactly("error", "critical", "alert", "emergency");
      client.logging("info");
      assertThat(
              notifications(client.tool("test_tool_with_logging", "{}"), "notifications/message"))
          .extracting(params -> at(params, "data").as(String.class))
          .containsExactly(
              "Tool execution started", "Tool processing data", "Tool execution completed");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLogMayHoldAnyValue(Era era) {
    try (Client client = client(era).logging("emergency")) {
      assertThat(notifications(client.tool("test_logging_tool", "{}"), "notifications/message"))
          .containsExactly(Json.parse("""
              {"level":"emergency","logger":"everything","data":{"what":"a message","severity":7}}\
              """));
    }
  }

  @Test
  void withoutALevelAStatelessClientSeesNoLog() {
    Client client = client(Era.STATELESS);

    assertThat(client.tool("test_logging_tool", "{}").before()).isEmpty();
  }

  // ---------------------------------------------------------------- questions

  @ParameterizedTest
  @EnumSource
  void aModelIsAskedWithThePrompt(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("test_sampling", "{\"prompt\":\"Say cheese\"}");

      assertThat(reply.rounds()).isEqualTo(era == Era.SESSIONS ? 1 : 2);
      Json params = at(reply.asked().get(0), "params");
      assertThat(at(params, "maxTokens")).isEqualTo(Json.of(100));
      assertThat(at(params, "messages", 0, "role")).isEqualTo(Json.of("user"));
      assertThat(at(params, "messages", 0, "content", "text")).isEqualTo(Json.of("Say cheese"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFormHasAFieldForEachComponentOfARecord(Era era) {
    try (Client client = client(era)) {
      Json params =
          at(client.tool("test_elicitation", "{\"message\":\"Hello\"}").asked().get(0), "params");

      assertThat(at(params, "message")).isEqualTo(Json.of("Hello"));
      assertThat(at(params, "mode")).isEqualTo(Json.of("form"));
      assertThat(at(params, "requestedSchema")).isEqualTo(Json.parse("""
          {"type":"object","properties":{\
          "username":{"type":"string","description":"User's response"},\
          "email":{"type":"string","description":"User's email address"}},\
          "required":["username","email"]}"""));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aUserMayDecline(Era era) {
    try (Client client = client(era)
        .answering("elicitation/create", params -> Json.parse("{\"action\":\"decline\"}"))) {
      assertThat(client.tool("test_elicitation", "{\"message\":\"Hello\"}").text())
          .isEqualTo("The user chose to decline");
      assertThat(client.tool("sign_in", "{}").text()).isEqualTo("Not signed in");
      assertThat(client.tool("test_streaming_elicitation", "{}").text()).isEqualTo("It stopped");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFormMayBeFilledInAlreadyAndOfferChoices(Era era) {
    try (Client client = client(era)) {
      Json defaults = at(
          client.tool("test_elicitation_sep1034_defaults", "{}").asked().get(0),
          "params",
          "requestedSchema",
          "properties");
      assertThat(at(defaults, "score", "default")).isEqualTo(Json.of(95.5));
      assertThat(at(defaults, "verified", "default")).isEqualTo(Json.TRUE);
      Json choices = at(
          client.tool("test_elicitation_sep1330_enums", "{}").asked().get(0),
          "params",
          "requestedSchema",
          "properties");
      assertThat(at(choices, "titledSingle", "oneOf", 1))
          .isEqualTo(Json.parse("{ \"const\": \"value2\", \"title\": \"Second Option\" }"));
      assertThat(at(choices, "legacyEnum", "enumNames", 2)).isEqualTo(Json.of("Option Three"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPageIsRequestedByItsUrl(Era era) {
    try (Client client = client(era)) {
      Json params = at(client.tool("sign_in", "{}").asked().get(0), "params");

      assertThat(at(params, "mode")).isEqualTo(Json.of("url"));
      assertThat(at(params, "url").as(String.class))
          .startsWith("https://login.example.com/?ticket=");
    }
  }

  @ParameterizedTest
  @EnumSource
  void severalQuestionsAreAskedAtOnce(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("test_input_required_result_multiple_inputs", "{}");

      assertThat(reply.rounds()).isEqualTo(era == Era.SESSIONS ? 1 : 2);
      assertThat(reply.asked())
          .extracting(request -> at(request, "method").as(String.class))
          .containsExactlyInAnyOrder("elicitation/create", "sampling/createMessage", "roots/list");
      assertThat(reply.text()).contains("Alice", "Paris", "file:///test/root");
    }
  }

  @ParameterizedTest
  @EnumSource
  void questionsMayBeAskedOneAfterAnother(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.tool("test_input_required_result_multi_round", "{}");

      assertThat(reply.rounds()).isEqualTo(era == Era.SESSIONS ? 1 : 3);
      assertThat(at(reply.asked().get(1), "params", "message"))
          .isEqualTo(Json.of("What is your favorite color, Alice?"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aResultOfOnceIsKnownInTheNextRound(Era era) {
    try (Client client = client(era)) {
      assertThat(client.tool("test_input_required_result_request_state", "{}").text())
          .matches("state-ok: ticket [0-9a-f-]{36}");
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlySupportedQuestionsAreAsked(Era era) {
    try (Client client = new Client(era, uri(), "{\"sampling\":{}}")
        .answering("sampling/createMessage", params -> Json.parse("""
            {"role":"assistant","model":"m","content":{"type":"text","text":"Good morning"}}"""))) {
      Reply reply = client.tool("test_input_required_result_capabilities", "{}");

      assertThat(reply.asked()).hasSize(1);
      assertThat(reply.text()).startsWith("greeting:").contains("Good morning");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClientWithoutACapabilityGetsAnErrorThatNamesIt(Era era) {
    try (Client client = new Client(era, uri(), "{}")) {
      Reply reply = client.tool("test_missing_capability", "{}");

      if (era == Era.SESSIONS) {
        assertThat(at(reply.result(), "isError")).isEqualTo(Json.TRUE);
        assertThat(reply.text()).contains("sampling/createMessage");
        return;
      }
      assertThat(reply.code()).isEqualTo(-32021);
      assertThat(reply.status()).isEqualTo(400);
      assertThat(at(reply.error(), "data"))
          .isEqualTo(Json.parse("{\"requiredCapabilities\":{\"sampling\":{}}}"));
    }
  }

  @Test
  void aStateThatWasChangedOrIsForAnotherCallIsRefused() {
    Client client = client(Era.STATELESS);
    Map<String, Object> call = Map.of("name", "test_input_required_result_tampered_state");
    String state = at(client.once("tools/call", call).result(), "requestState").as(String.class);
    Map<String, Object> answers =
        Map.of("confirm", Json.parse("{\"action\":\"accept\",\"content\":{\"ok\":true}}"));

    Reply tampered = client.once(
        "tools/call",
        Map.of(
            "name",
            "test_input_required_result_tampered_state",
            "inputResponses",
            answers,
            "requestState",
            state + "-TAMPERED"));
    Reply elsewhere = client.once(
        "tools/call",
        Map.of(
            "name", "test_input_required_result_request_state",
            "inputResponses", answers,
            "requestState", state));
    Reply right = client.once(
        "tools/call",
        Map.of(
            "name", "test_input_required_result_tampered_state",
            "inputResponses", answers,
            "requestState", state));

    assertThat(tampered.code()).isEqualTo(-32602);
    assertThat(elsewhere.code()).isEqualTo(-32602);
    assertThat(right.text()).isEqualTo("Confirmed");
  }

  // ---------------------------------------------------------------- resources

  private static Json read(Client client, String uri) {
    Json contents = at(client.call("resources/read", Map.of("uri", uri)).result(), "contents");
    assertThat(contents.elements()).hasSize(1);
    assertThat(at(contents, 0, "uri")).isEqualTo(Json.of(uri));
    return at(contents, 0);
  }

  @ParameterizedTest
  @EnumSource
  void resourcesHoldTextOrBytes(Era era) throws Exception {
    try (Client client = client(era)) {
      assertThat(read(client, "test://static-text")).isEqualTo(Json.parse("""
          {"uri":"test://static-text","mimeType":"text/plain",\
          "text":"This is the content of the static text resource."}"""));
      Json binary = read(client, "test://static-binary");
      assertThat(at(binary, "mimeType")).isEqualTo(Json.of("image/png"));
      assertIsPicture(at(binary, "blob"));
      assertThat(at(read(client, "test://chapters/120"), "text"))
          .isEqualTo(Json.of("This is chapter 120 of 120."));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTemplateReadsEveryMatchingUri(Era era) {
    try (Client client = client(era)) {
      assertThat(
              at(client.call("resources/templates/list", Map.of()).result(), "resourceTemplates"))
          .isEqualTo(Json.parse("""
              [{"uriTemplate":"test://template/{id}/data",\
              "name":"template","description":"The data of any id",\
              "mimeType":"application/json"}]"""));
      Json data = read(client, "test://template/a%20b/data");
      assertThat(Json.parse(at(data, "text").as(String.class))).isEqualTo(Json.parse("""
          {"id":"a b","templateTest":true,"data":"Data for ID: a b"}"""));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aResourceThatIsNotThereIsAnErrorThatNamesIt(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.call("resources/read", Map.of("uri", "test://nowhere"));

      assertThat(reply.code()).isEqualTo(era == Era.SESSIONS ? -32002 : -32602);
      assertThat(at(reply.error(), "data", "uri")).isEqualTo(Json.of("test://nowhere"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLongListComesInPages(Era era) {
    try (Client client = client(era)) {
      Reply first = client.call("resources/list", Map.of());
      Json cursor = at(first.result(), "nextCursor");
      Reply second = client.call("resources/list", Map.of("cursor", cursor));

      assertThat(names(first, "resources")).hasSize(100).startsWith("static-text", "static-binary");
      assertThat(names(second, "resources"))
          .contains("chapter-99", "chapter-120", "watched-resource");
      assertThat(second.result().get("nextCursor")).isNull();
      assertThat(at(first.result(), "resources", 1, "size")).isEqualTo(Json.of(256));
      assertThat(client.call("resources/list", Map.of("cursor", "!")).code()).isEqualTo(-32602);
    }
  }

  // ---------------------------------------------------------------- prompts

  private static Json messages(Client client, String prompt, Map<String, String> arguments) {
    Map<String, Object> params = Map.of("name", prompt, "arguments", arguments);
    return at(client.call("prompts/get", params).result(), "messages");
  }

  private static Json message(String text) {
    return Json.of(List.of(Sampling.message(Role.USER, Content.text(text))));
  }

  @ParameterizedTest
  @EnumSource
  void everyPromptIsListedAndReturnsItsMessages(Era era) throws Exception {
    try (Client client = client(era)) {
      List<String> names = new ArrayList<>(names(client.call("prompts/list", Map.of()), "prompts"));
      names.remove("now_and_then");
      assertThat(names)
          .containsExactlyInAnyOrder(
              "test_simple_prompt",
              "test_prompt_with_arguments",
              "test_prompt_with_embedded_resource",
              "test_prompt_with_image",
              "interview",
              "test_input_required_result_prompt");

      assertThat(messages(client, "test_simple_prompt", Map.of()))
          .isEqualTo(message("This is a simple prompt for testing."));
      assertThat(messages(client, "test_prompt_with_arguments", Map.of("arg1", "a", "arg2", "b")))
          .isEqualTo(message("Prompt with arguments: arg1='a', arg2='b'"));
      assertThat(messages(client, "test_input_required_result_prompt", Map.of()))
          .isEqualTo(message("Keep in mind: tests"));
      Json resource = messages(
          client, "test_prompt_with_embedded_resource", Map.of("resourceUri", "test://any"));
      assertThat(at(resource, 0, "content", "resource")).isEqualTo(Json.parse("""
          {"uri":"test://any","mimeType":"text/plain",\
          "text":"Embedded resource content for testing."}"""));
      assertThat(at(resource, 1, "content", "text"))
          .isEqualTo(Json.of("Please process the embedded resource above."));
      Json image = messages(client, "test_prompt_with_image", Map.of());
      assertIsPicture(at(image, 0, "content", "data"));
      assertThat(at(image, 1, "content", "text"))
          .isEqualTo(Json.of("Please analyze the image above."));
      Json interview = messages(client, "interview", Map.of("topic", "rain"));
      assertThat(at(interview, 1, "role")).isEqualTo(Json.of("assistant"));
      assertThat(at(interview, 1, "content", "text"))
          .isEqualTo(Json.of("What do you think of rain?"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anArgumentThatIsMissingIsNamed(Era era) {
    try (Client client = client(era)) {
      Reply reply = client.call(
          "prompts/get",
          Map.of("name", "test_prompt_with_arguments", "arguments", Map.of("arg1", "a")));

      assertThat(reply.code()).isEqualTo(-32602);
      assertThat(at(reply.error(), "message").toString()).contains("arg2");
    }
  }

  private static Json completion(Client client, Map<String, ?> params) {
    return at(client.call("completion/complete", params).result(), "completion");
  }

  @ParameterizedTest
  @EnumSource
  void argumentsAndVariablesAreCompleted(Era era) {
    try (Client client = client(era)) {
      Map<String, String> prompt =
          Map.of("type", "ref/prompt", "name", "test_prompt_with_arguments");
      Map<String, String> template =
          Map.of("type", "ref/resource", "uri", "test://template/{id}/data");

      assertThat(completion(
              client, Map.of("ref", prompt, "argument", Map.of("name", "arg1", "value", "par"))))
          .isEqualTo(Json.parse("""
              {"values":["paris","park","party"],"total":3,"hasMore":false}"""));
      assertThat(at(
              completion(
                  client,
                  Map.of(
                      "ref", prompt,
                      "argument", Map.of("name", "arg2", "value", ""),
                      "context", Map.of("arguments", Map.of("arg1", "paris")))),
              "values"))
          .isEqualTo(Json.parse("[\"after-paris\"]"));
      Json ids = completion(
          client, Map.of("ref", template, "argument", Map.of("name", "id", "value", "")));
      assertThat(at(ids, "values").elements()).hasSize(100);
      assertThat(at(ids, "total")).isEqualTo(Json.of(200));
      assertThat(at(ids, "hasMore")).isEqualTo(Json.TRUE);
    }
  }
}
