package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.a2a.Http;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.types.AgentCapabilities;
import dev.repartee.a2a.types.AgentExtension;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sections 3.1, 3.4, 5.4 and 9 of the specification, over HTTP. */
class MessagesTest {
  private static final String ANY = "http://127.0.0.1:0/a2a";

  private final TestAgent agent = new TestAgent();
  private Server server;
  private Http http;

  @BeforeEach
  void start() throws IOException {
    listen(agent.server());
  }

  private void listen(A2aServer.Builder builder) throws IOException {
    server = builder
        .options(Options.builder().listener(Listener.NONE).build())
        .build()
        .listen(ANY);
    http = new Http(server).with("A2A-Version", "1.0");
  }

  @AfterEach
  void stop() {
    server.close(java.time.Duration.ZERO);
  }

  private static String message(String text) {
    return message(text, "");
  }

  /** Returns the params of version 1.0 with further members of the message. */
  private static String message(String text, String more) {
    return """
        {"message":{"messageId":"%s","role":"ROLE_USER","parts":[{"text":"%s"}]%s}}""".formatted(more.contains("taskId") ? "m-2" : "m-1", text, more);
  }

  /** Returns the params of version 0.3. */
  private static String old(String text) {
    return """
        {"message":{"kind":"message","messageId":"m-1","role":"user",
         "parts":[{"kind":"text","text":"%s"}]}}""".formatted(text);
  }

  private static String text(@Nullable Json json, String... path) {
    Json at = json;
    for (String name : path) {
      at = at == null ? null : name.matches("\\d+") ? at.at(Integer.parseInt(name)) : at.get(name);
    }
    return at == null
        ? "missing"
        : at.kind() == Json.Kind.STRING ? at.as(String.class) : at.toString();
  }

  private static int code(Json error) {
    return Integer.parseInt(text(error, "code"));
  }

  // ---------------------------------------------------------------- version 1.0

  @Test
  void aMessageIsAnsweredWithAMessageInAWrapper() throws Exception {
    Json result = http.result("SendMessage", message("say hello"));
    assertThat(result.members()).containsOnlyKeys("message");
    assertThat(text(result, "message", "role")).isEqualTo("ROLE_AGENT");
    assertThat(text(result, "message", "parts", "0", "text")).isEqualTo("hello");
    assertThat(text(result, "message", "contextId")).isNotEqualTo("missing");
  }

  @Test
  void aRequestWaitsUntilTheTaskIsTerminal() throws Exception {
    Json task = http.result("SendMessage", message("work hard")).get("task");
    assertThat(text(task, "status", "state")).isEqualTo("TASK_STATE_COMPLETED");
    assertThat(text(task, "status", "message", "parts", "0", "text")).isEqualTo("done");
    assertThat(text(task, "status", "timestamp"))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    assertThat(text(task, "artifacts", "0", "parts", "0", "text")).isEqualTo("hard");
    assertThat(text(task, "history", "0", "messageId")).isEqualTo("m-1");
    assertThat(text(task, "history", "0", "taskId")).isEqualTo(text(task, "id"));
  }

  @Test
  void aPartHasExactlyOneContentAndKeepsEveryDigit() throws Exception {
    Json task = http.result("SendMessage", message("files")).get("task");
    Json parts = task.get("artifacts").at(0).get("parts");
    assertThat(parts.at(0)).isEqualTo(Json.parse("""
        {"raw":"AQL/","filename":"a.bin","mediaType":"application/octet-stream"}"""));
    assertThat(text(parts, "1", "url")).isEqualTo("https://example.com/b.txt");
    assertThat(text(parts, "2", "data", "n")).isEqualTo("12345678901234567890");
  }

  @Test
  void anAnswerThatMustNotWaitHasATaskInProgress() throws Exception {
    String params =
        message("wait").replaceFirst("}$", ",\"configuration\":{\"returnImmediately\":true}}");
    Json task = http.result("SendMessage", params).get("task");
    assertThat(text(task, "status", "state")).isIn("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING");
    http.result("CancelTask", "{\"id\":\"" + text(task, "id") + "\"}");
  }

  @Test
  void aHistoryLengthOfZeroOmitsTheHistory() throws Exception {
    Json task = http.result("SendMessage", message("work hard")).get("task");
    String id = text(task, "id");
    assertThat(http.result("GetTask", "{\"id\":\"" + id + "\",\"historyLength\":0}")
            .get("history"))
        .isNull();
    assertThat(http.result("GetTask", "{\"id\":\"" + id + "\",\"historyLength\":1}")
            .get("history")
            .elements())
        .hasSize(1);
    assertThat(http.result("GetTask", "{\"id\":\"" + id + "\"}").get("history").elements())
        .hasSize(2);
  }

  @Test
  void namesOfProtoFieldsAreAcceptedToo() throws Exception {
    Json task = http.result("SendMessage", message("work hard").replace("messageId", "message_id"))
        .get("task");
    String params = "{\"id\":\"" + text(task, "id") + "\",\"history_length\":0}";
    assertThat(http.result("GetTask", params).get("history")).isNull();
  }

  @Test
  void aTaskThatNeedsInputContinuesWithTheNextMessage() throws Exception {
    Json task = http.result("SendMessage", message("ask")).get("task");
    assertThat(text(task, "status", "state")).isEqualTo("TASK_STATE_INPUT_REQUIRED");
    String more = ",\"taskId\":\"" + text(task, "id") + "\"";
    Json next = http.result("SendMessage", message("blue", more)).get("task");
    assertThat(text(next, "id")).isEqualTo(text(task, "id"));
    assertThat(text(next, "contextId")).isEqualTo(text(task, "contextId"));
    assertThat(text(next, "status", "state")).isEqualTo("TASK_STATE_COMPLETED");
    assertThat(next.get("history").elements()).hasSize(3);
  }

  @Test
  void aRepeatedMessageIdIsRefusedOnlyWithTheSameParts() throws Exception {
    Json task = http.result("SendMessage", message("ask")).get("task");
    String more = ",\"taskId\":\"" + text(task, "id") + "\"";
    String repeated = message("ask", more).replace("m-2", "m-1");
    assertThat(code(http.error("SendMessage", repeated))).isEqualTo(-32602);
    String files = "[{\"raw\":\"AA==\"},{\"text\":\"ask\"}]";
    String file = repeated.replace("[{\"text\":\"ask\"}]", files);
    assertThat(text(http.result("SendMessage", file), "task", "status", "state"))
        .isEqualTo("TASK_STATE_INPUT_REQUIRED");
    assertThat(code(http.error("SendMessage", file))).isEqualTo(-32602);
    String other = message("blue", more).replace("m-2", "m-1");
    assertThat(text(http.result("SendMessage", other), "task", "status", "state"))
        .isEqualTo("TASK_STATE_COMPLETED");
  }

  @Test
  void theContextOfAClientIsKeptAndMustFitTheTask() throws Exception {
    Json task =
        http.result("SendMessage", message("ask", ",\"contextId\":\"talk-1\"")).get("task");
    assertThat(text(task, "contextId")).isEqualTo("talk-1");
    String other = ",\"contextId\":\"talk-2\",\"taskId\":\"" + text(task, "id") + "\"";
    assertThat(code(http.error("SendMessage", message("blue", other)))).isEqualTo(-32602);
  }

  @Test
  void aTerminalTaskAcceptsNoFurtherMessage() throws Exception {
    Json task = http.result("SendMessage", message("work hard")).get("task");
    String more = ",\"taskId\":\"" + text(task, "id") + "\"";
    assertThat(code(http.error("SendMessage", message("more", more)))).isEqualTo(-32004);
  }

  @Test
  void aTaskIdOfTheClientMustExist() throws Exception {
    Json error = http.error("SendMessage", message("say hi", ",\"taskId\":\"none\""));
    assertThat(error).isEqualTo(Json.parse("""
        {"code":-32001,"message":"Task not found","data":[{"@type":\
        "type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND",\
        "domain":"a2a-protocol.org","metadata":{"taskId":"none"}}]}"""));
  }

  @Test
  void cancellingATaskReachesTheAgent() throws Exception {
    try (Http.Events events = http.open("SendStreamingMessage", message("wait"))) {
      String id = text(events.result(), "task", "id");
      Json canceled = http.result("CancelTask", "{\"id\":\"" + id + "\"}");
      assertThat(text(canceled, "status", "state")).isEqualTo("TASK_STATE_CANCELED");
      assertThat(agent.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      List<Json> rest = events.rest();
      assertThat(text(rest.get(rest.size() - 1), "statusUpdate", "status", "state"))
          .isEqualTo("TASK_STATE_CANCELED");
      Json again = http.error("CancelTask", "{\"id\":\"" + id + "\"}");
      assertThat(code(again)).isEqualTo(-32002);
      assertThat(text(again, "data", "0", "reason")).isEqualTo("TASK_NOT_CANCELABLE");
    }
  }

  @Test
  void aMessageOnlyStreamHasExactlyOneMessage() throws Exception {
    try (Http.Events events = http.open("SendStreamingMessage", message("say hello"))) {
      assertThat(events.type()).startsWith("text/event-stream");
      List<Json> all = events.rest();
      assertThat(all).hasSize(1);
      assertThat(text(all.get(0), "message", "parts", "0", "text")).isEqualTo("hello");
    }
  }

  @Test
  void aStreamBeginsWithTheTaskAndEndsWhenItIsTerminal() throws Exception {
    agent.steps.release(3);
    try (Http.Events events = http.open("SendStreamingMessage", message("steps"))) {
      Json first = events.next();
      assertThat(text(first, "jsonrpc")).isEqualTo("2.0");
      assertThat(text(first, "id")).isEqualTo("r-1");
      String id = text(first, "result", "task", "id");
      List<Json> rest = events.rest();
      assertThat(rest).hasSize(4);
      assertThat(text(rest.get(0), "statusUpdate", "status", "state"))
          .isEqualTo("TASK_STATE_WORKING");
      assertThat(text(rest.get(1), "artifactUpdate", "append")).isEqualTo("missing");
      assertThat(text(rest.get(2), "artifactUpdate", "append")).isEqualTo("true");
      assertThat(text(rest.get(2), "artifactUpdate", "lastChunk")).isEqualTo("true");
      assertThat(text(rest.get(3), "statusUpdate", "status", "state"))
          .isEqualTo("TASK_STATE_COMPLETED");
      Json task = http.result("GetTask", "{\"id\":\"" + id + "\"}");
      assertThat(task.get("artifacts").at(0).get("parts").elements()).hasSize(2);
    }
  }

  @Test
  void allStreamsOfATaskGetTheSameEventsAndEnd() throws Exception {
    try (Http.Events sender = http.open("SendStreamingMessage", message("steps"))) {
      String id = "{\"id\":\"" + text(sender.result(), "task", "id") + "\"}";
      Http.Events left = http.open("SubscribeToTask", id);
      Http.Events stays = http.open("SubscribeToTask", id);
      assertThat(text(left.result(), "task", "id")).isNotEqualTo("missing");
      Json task = stays.result();
      left.close();
      agent.steps.release(3);
      List<Json> seen = stays.rest();
      List<Json> sent = sender.rest();
      // The sender may also receive the change to WORKING. For the others it is part of the first
      // event.
      assertThat(sent).endsWith(seen.toArray(new Json[0]));
      assertThat(text(task, "task", "status", "state"))
          .isIn("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING");
      assertThat(text(seen.get(seen.size() - 1), "statusUpdate", "status", "state"))
          .isEqualTo("TASK_STATE_COMPLETED");
      assertThat(code(http.error("SubscribeToTask", id))).isEqualTo(-32004);
    }
  }

  @Test
  void aFailureOfTheAgentIsToldWithoutItsText() throws Exception {
    assertThat(code(http.error("SendMessage", message("break")))).isEqualTo(-32603);
    Json task = http.result("SendMessage", message("break later")).get("task");
    assertThat(text(task, "status", "state")).isEqualTo("TASK_STATE_FAILED");
    assertThat(task.toString()).doesNotContain("secret");
  }

  @Test
  void aTaskCanBeRejectedAndCompletesWhenTheAgentReturns() throws Exception {
    Json task = http.result("SendMessage", message("reject")).get("task");
    assertThat(text(task, "status", "state")).isEqualTo("TASK_STATE_REJECTED");
    Json done = http.result("SendMessage", message("nothing")).get("task");
    assertThat(text(done, "status", "state")).isEqualTo("TASK_STATE_COMPLETED");
  }

  @Test
  void aStreamOfAWaitingTaskContinuesUntilTheServerCloses() throws Exception {
    String id = text(http.result("SendMessage", message("ask")), "task", "id");
    String other = text(http.result("SendMessage", message("ask")), "task", "id");
    try (Http.Events events = http.open("SubscribeToTask", "{\"id\":\"" + id + "\"}");
        Http.Events waiting = http.open("SubscribeToTask", "{\"id\":\"" + other + "\"}")) {
      assertThat(text(events.result(), "task", "status", "state"))
          .isEqualTo("TASK_STATE_INPUT_REQUIRED");
      http.result("SendMessage", message("blue", ",\"taskId\":\"" + id + "\""));
      List<Json> rest = events.rest();
      assertThat(text(rest.get(rest.size() - 1), "statusUpdate", "status", "state"))
          .isEqualTo("TASK_STATE_COMPLETED");
      waiting.result();
      server.close();
      assertThat(text(waiting.rest().get(0), "error", "code")).isEqualTo("-32004");
    }
  }

  // ---------------------------------------------------------------- version 0.3

  @Test
  void version03HasResultsWithoutWrapperAndWithKinds() throws Exception {
    Http client = http.with("A2A-Version", null);
    Json message = client.result("message/send", old("say hello"));
    assertThat(text(message, "kind")).isEqualTo("message");
    assertThat(text(message, "role")).isEqualTo("agent");
    assertThat(message.get("parts").at(0))
        .isEqualTo(Json.parse("{\"kind\":\"text\",\"text\":\"hello\"}"));
    Json task = client.result("message/send", old("files"));
    assertThat(text(task, "kind")).isEqualTo("task");
    assertThat(text(task, "status", "state")).isEqualTo("completed");
    Json parts = task.get("artifacts").at(0).get("parts");
    assertThat(text(parts, "0", "file", "bytes")).isEqualTo("AQL/");
    assertThat(text(parts, "0", "file", "mimeType")).isEqualTo("application/octet-stream");
    assertThat(text(parts, "1", "file", "uri")).isEqualTo("https://example.com/b.txt");
    assertThat(text(parts, "2", "kind")).isEqualTo("data");
  }

  @Test
  void aStreamOfVersion03EndsWithFinal() throws Exception {
    agent.steps.release(3);
    try (Http.Events events = http.open("message/stream", old("steps"))) {
      List<Json> all = events.rest();
      assertThat(all)
          .extracting(event -> text(event, "kind"))
          .containsExactly(
              "task", "status-update", "artifact-update", "artifact-update", "status-update");
      assertThat(text(all.get(1), "final")).isEqualTo("false");
      assertThat(text(all.get(4), "final")).isEqualTo("true");
    }
    try (Http.Events events = http.open("message/stream", old("ask"))) {
      List<Json> all = events.rest();
      assertThat(text(all.get(1), "status", "state")).isEqualTo("input-required");
      assertThat(text(all.get(1), "final")).isEqualTo("true");
    }
  }

  @Test
  void aTaskOfOneVersionIsSeenInTheOther() throws Exception {
    Json old = http.result("message/send", old("ask"));
    String id = "{\"id\":\"" + text(old, "id") + "\"}";
    assertThat(text(http.result("GetTask", id), "status", "state"))
        .isEqualTo("TASK_STATE_INPUT_REQUIRED");
    assertThat(text(http.result("tasks/get", id), "status", "state")).isEqualTo("input-required");
    assertThat(text(http.result("tasks/cancel", id), "status", "state")).isEqualTo("canceled");
    assertThat(text(http.result("GetTask", id), "status", "state"))
        .isEqualTo("TASK_STATE_CANCELED");
  }

  // ---------------------------------------------------------------- errors

  @Test
  void anUnsupportedVersionIsRefused() throws Exception {
    Json error = http.with("A2A-Version", "9.9").error("SendMessage", message("say hi"));
    assertThat(code(error)).isEqualTo(-32009);
    assertThat(text(error, "data", "0", "reason")).isEqualTo("VERSION_NOT_SUPPORTED");
    assertThat(http.with("A2A-Version", "1.0.7").result("SendMessage", message("say hi")))
        .isNotNull();
  }

  @Test
  void paramsThatDoNotFitNameTheField() throws Exception {
    Json error = http.error("SendMessage", "{}");
    assertThat(code(error)).isEqualTo(-32602);
    assertThat(text(error, "data", "1", "@type"))
        .isEqualTo("type.googleapis.com/google.rpc.BadRequest");
    assertThat(text(error, "data", "1", "fieldViolations", "0", "field")).isEqualTo("message");
    assertThat(text(error, "data", "0", "reason")).isEqualTo("INVALID_PARAMS");
    assertThat(text(error, "data", "0", "metadata", "field")).isEqualTo("message");
    Json parts = http.error("SendMessage", message("x").replace("[{\"text\":\"x\"}]", "\"x\""));
    assertThat(text(parts, "data", "1", "fieldViolations", "0", "field"))
        .isEqualTo("message.parts");
    Json both =
        http.error("SendMessage", message("x").replace("{\"text\"", "{\"url\":\"u\",\"text\""));
    assertThat(code(both)).isEqualTo(-32602);
  }

  @Test
  void errorsOfJsonRpcHaveStatus200AndDetails() throws Exception {
    HttpResponse<String> parse = http.post("{\"jsonrpc\":");
    assertThat(parse.statusCode()).isEqualTo(200);
    assertThat(text(Json.parse(parse.body()), "error", "message"))
        .isEqualTo("Invalid JSON payload");
    assertThat(text(Json.parse(parse.body()), "error", "data", "0", "@type"))
        .isEqualTo("type.googleapis.com/google.rpc.ErrorInfo");
    assertThat(code(http.error("NoMethod", "{}"))).isEqualTo(-32601);
    HttpResponse<String> wrong = http.post("""
        {"jsonrpc":"aaa","method":"GetTask"}""");
    assertThat(wrong.statusCode()).isEqualTo(200);
    assertThat(text(Json.parse(wrong.body()), "error", "code")).isEqualTo("-32600");
    HttpResponse<String> batch = http.post("[]");
    assertThat(text(Json.parse(batch.body()), "error", "code")).isEqualTo("-32600");
  }

  @Test
  void aMessageWithoutAnIdIsAnsweredWithTheIdNull() throws Exception {
    Json unknown = Json.parse(http.post("""
        {"jsonrpc":"2.0","method":"No"}""").body());
    assertThat(unknown.get("id")).isEqualTo(Json.NULL);
    assertThat(text(unknown, "error", "code")).isEqualTo("-32601");
    Json said = Json.parse(http.post("""
        {"jsonrpc":"2.0","method":"SendMessage","params":%s}\
        """.formatted(message("say hi"))).body());
    assertThat(text(said, "result", "message", "parts", "0", "text")).isEqualTo("hi");
  }

  @Test
  void featuresThatTheCardDoesNotDeclareAreRefused() throws Exception {
    server.close();
    listen(
        A2aServer.builder(TestAgent.card().capabilities(new AgentCapabilities()).build())
            .agent(agent));
    assertThat(code(http.error("SendStreamingMessage", message("say hi")))).isEqualTo(-32004);
    assertThat(code(http.error("SubscribeToTask", "{\"id\":\"x\"}"))).isEqualTo(-32004);
    assertThat(code(http.error("message/stream", old("say hi")))).isEqualTo(-32004);
    for (String method : List.of("Create", "Get", "List", "Delete")) {
      String name = method + "TaskPushNotificationConfig" + (method.equals("List") ? "s" : "");
      assertThat(code(http.error(name, """
          {"taskId":"x","id":"y","url":"http://z"}"""))).isEqualTo(-32003);
    }
    assertThat(code(http.error("GetExtendedAgentCard", "{}"))).isEqualTo(-32004);
    assertThat(code(http.error("agent/getAuthenticatedExtendedCard", "{}"))).isEqualTo(-32007);
  }

  @Test
  void aRequiredExtensionMustBeDeclared() throws Exception {
    server.close();
    AgentExtension extension = new AgentExtension("https://example.com/e/v1", null, true, null);
    listen(A2aServer.builder(TestAgent.card().extension(extension).build()).agent(agent));
    assertThat(code(http.error("SendMessage", message("say hi")))).isEqualTo(-32008);
    assertThat(http.with("A2A-Extensions", "urn:x, https://example.com/e/v1")
            .result("SendMessage", message("say hi")))
        .isNotNull();
  }

  @Test
  void aMediaTypeThatNoSkillTakesIsRefused() throws Exception {
    String params = message("say hi").replace("\"}]", "\",\"mediaType\":\"image/png\"}]");
    Json error = http.error("SendMessage", params);
    assertThat(code(error)).isEqualTo(-32005);
    assertThat(http.result("SendMessage", params.replace("image/png", "text/plain")))
        .isNotNull();
  }

  @Test
  void httpFaultsHaveHttpStatuses() throws Exception {
    assertThat(http.with("Content-Type", "text/plain").post("{}").statusCode()).isEqualTo(415);
    assertThat(http.get().statusCode()).isEqualTo(405);
    assertThat(http.at("/elsewhere").post("{}").statusCode()).isEqualTo(404);
  }

  // ---------------------------------------------------------------- clients

  @Test
  void clientsSeeOnlyTheirOwnTasks() throws Exception {
    server.close();
    listen(agent.server().authentication(request -> request.header("x-client")));
    assertThat(http.post("{}").statusCode()).isEqualTo(401);
    Http ann = http.with("X-Client", "ann");
    Http bob = http.with("X-Client", "bob");
    String id = text(ann.result("SendMessage", message("ask")), "task", "id");
    String params = "{\"id\":\"" + id + "\"}";
    assertThat(text(ann.result("GetTask", params), "id")).isEqualTo(id);
    assertThat(code(bob.error("GetTask", params))).isEqualTo(-32001);
    assertThat(code(bob.error("CancelTask", params))).isEqualTo(-32001);
    assertThat(code(bob.error("SubscribeToTask", params))).isEqualTo(-32001);
    assertThat(code(bob.error("SendMessage", message("blue", ",\"taskId\":\"" + id + "\""))))
        .isEqualTo(-32001);
    assertThat(bob.result("ListTasks", "{}").get("tasks").elements()).isEmpty();
    assertThat(ann.result("ListTasks", "{}").get("tasks").elements()).hasSize(1);
  }
}
