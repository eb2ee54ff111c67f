package dev.repartee.acp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.ContentBlock;
import dev.repartee.acp.types.CreateTerminalRequest;
import dev.repartee.acp.types.InitializeRequest;
import dev.repartee.acp.types.InitializeResponse;
import dev.repartee.acp.types.McpServer;
import dev.repartee.acp.types.McpServerStdio;
import dev.repartee.acp.types.NewSessionRequest;
import dev.repartee.acp.types.NewSessionResponse;
import dev.repartee.acp.types.PromptRequest;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.SessionNotification;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.SetSessionConfigOptionRequest;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCallStatus;
import dev.repartee.acp.types.ToolCallUpdate;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypesTest {
  private static void keeps(Class<?> type, String json) {
    Object value = Json.parse(json).as(type);
    assertThat(Json.of(value).isSameValue(Json.parse(json)))
        .as("%s as %s", Json.of(value), json)
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'sessionUpdate':'user_message_chunk','content':{'type':'text','text':'a'}}",
        "{'sessionUpdate':'agent_message_chunk','messageId':'m1','content':{'type':'image','data':'AA==','mimeType':'image/png'}}",
        "{'sessionUpdate':'agent_thought_chunk','content':{'type':'audio','data':'AA==','mimeType':'audio/wav'}}",
        "{'sessionUpdate':'tool_call','toolCallId':'c1','title':'T','kind':'edit','status':'pending',"
            + "'content':[{'type':'diff','path':'/a','oldText':'x','newText':'y'},"
            + "{'type':'terminal','terminalId':'t'},"
            + "{'type':'content','content':{'type':'text','text':'a'}}],"
            + "'locations':[{'path':'/a','line':3}],'rawInput':{'a':1},'rawOutput':[true]}",
        "{'sessionUpdate':'tool_call_update','toolCallId':'c1','status':'completed'}",
        "{'sessionUpdate':'plan','entries':[{'content':'a','priority':'high','status':'in_progress'}]}",
        "{'sessionUpdate':'available_commands_update','availableCommands':[{'name':'a','description':'b','input':{'hint':'c'}}]}",
        "{'sessionUpdate':'current_mode_update','currentModeId':'ask'}",
        "{'sessionUpdate':'config_option_update','configOptions':["
            + "{'type':'select','id':'m','name':'M','currentValue':'a','category':'model','options':[{'value':'a','name':'A'}]},"
            + "{'type':'select','id':'m','name':'M','currentValue':'a','options':[{'group':'g','name':'G','options':[{'value':'a','name':'A'}]}]},"
            + "{'type':'boolean','id':'b','name':'B','currentValue':true}]}",
        "{'sessionUpdate':'session_info_update','title':'t','updatedAt':'2026-01-01T00:00:00Z'}",
        "{'sessionUpdate':'notice','severity':'warning','title':'a'}",
        "{'sessionUpdate':'compaction_update','compactionId':'c','status':'in_progress'}",
        "{'sessionUpdate':'compaction_summary_chunk','compactionId':'c','content':{'type':'text','text':'a'}}",
        "{'sessionUpdate':'usage_update','used':10,'size':100,'cost':{'amount':0.5,'currency':'USD'}}",
      })
  void allKindsOfUpdatesKeepTheirMembers(String update) {
    keeps(
        SessionNotification.class,
        ("{'sessionId':'s','update':" + update + ",'_meta':{'x':1}}").replace('\'', '"'));
  }

  @Test
  void anUpdateOfAnUnknownKindIsKeptAsItIs() {
    String update = "{\"sessionUpdate\":\"dream\",\"depth\":3}";

    SessionUpdate read = Json.parse(update).as(SessionUpdate.class);

    assertThat(read).isEqualTo(new SessionUpdate.Unknown(Json.parse(update)));
    keeps(SessionNotification.class, "{\"sessionId\":\"s\",\"update\":" + update + "}");
  }

  @Test
  void contentOfAnUnknownKindIsKeptAsItIs() {
    keeps(ContentBlock.class, "{\"type\":\"hologram\",\"data\":\"AA==\"}");
  }

  @Test
  void anUnknownValueOfAnEnumerationIsKept() {
    ToolCallUpdate read = Json.parse("""
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"paused"}\
        """).as(ToolCallUpdate.class);

    assertThat(read.status()).isEqualTo(new ToolCallStatus("paused"));
  }

  @Test
  void aKnownKindWithoutItsRequiredMembersIsRefused() {
    Json update = Json.parse("{\"sessionUpdate\":\"tool_call\",\"title\":\"T\"}");

    assertThatThrownBy(() -> update.as(SessionUpdate.class))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("missing: toolCallId");
  }

  @Test
  void unknownMembersAreIgnoredAndNullIsAbsence() {
    InitializeResponse read = Json.parse("""
        {"protocolVersion":1,"future":true,\
        "agentCapabilities":{"sessionCapabilities":{"list":null,"fork":{}}}}\
        """).as(InitializeResponse.class);

    assertThat(read.agentCapabilities().sessionCapabilities().list()).isNull();
  }

  @Test
  void theMembersOfTheSpecificationAreReadAndWritten() {
    keeps(InitializeRequest.class, """
        {"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},
        "terminal":true,"session":{"configOptions":{"boolean":{}}},"elicitation":{"form":{}}},
        "clientInfo":{"name":"c","title":"C","version":"1"}}
        """);
    keeps(InitializeResponse.class, """
        {"protocolVersion":1,"agentCapabilities":{"loadSession":true,
        "promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},
        "mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"list":{},"delete":{},
        "resume":{},"close":{},"additionalDirectories":{}},"auth":{"logout":{}}},
        "authMethods":[{"id":"a","name":"A"},{"type":"terminal","id":"t","name":"T",
        "args":["login"],"env":{"X":"1"}}],"agentInfo":{"name":"a","version":"1"}}
        """);
    keeps(NewSessionRequest.class, """
        {"cwd":"/","additionalDirectories":["/a"],"mcpServers":[
        {"name":"s","command":"/bin/s","args":[],"env":[{"name":"A","value":"B"}]},
        {"type":"http","name":"h","url":"https://x","headers":[{"name":"A","value":"B"}]},
        {"type":"sse","name":"e","url":"https://x","headers":[]}]}
        """);
    keeps(NewSessionResponse.class, """
        {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]}}
        """);
    keeps(PromptRequest.class, """
        {"sessionId":"s","prompt":[{"type":"text","text":"a","annotations":{"audience":["user"],
        "priority":0.5}},{"type":"resource_link","name":"n","uri":"file:///a","size":3},
        {"type":"resource","resource":{"uri":"file:///a","text":"b","mimeType":"text/plain"}},
        {"type":"resource","resource":{"uri":"file:///a","blob":"AA=="}}]}
        """);
    keeps(RequestPermissionRequest.class, """
        {"sessionId":"s","toolCall":{"toolCallId":"c","status":"pending"},
        "options":[{"optionId":"a","name":"A","kind":"allow_once"}]}
        """);
    keeps(RequestPermissionResponse.class, """
        {"outcome":{"outcome":"selected","optionId":"a"}}""");
    keeps(RequestPermissionResponse.class, "{\"outcome\":{\"outcome\":\"cancelled\"}}");
    keeps(CreateTerminalRequest.class, """
        {"sessionId":"s","command":"npm","args":["test"],"env":[{"name":"A","value":"B"}],
        "cwd":"/","outputByteLimit":5000000000}
        """);
    keeps(SetSessionConfigOptionRequest.class, """
        {"sessionId":"s","configId":"c","type":"boolean","value":true}""");
  }

  @Test
  void aServerWithoutATypeIsStartedByTheAgent() {
    assertThat(Json.parse("""
        {"name":"s","command":"/s","args":[],"env":[]}\
        """).as(McpServer.class)).isInstanceOf(McpServerStdio.class);
  }

  @Test
  void absentMembersAreNotWritten() {
    assertThat(Json.of(new AgentMessageChunk(new TextContent("a")))).hasToString("""
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}""");
  }
}
