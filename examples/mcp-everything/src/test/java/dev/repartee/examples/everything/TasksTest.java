package dev.repartee.examples.everything;

import static dev.repartee.examples.everything.Client.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.examples.everything.Client.Reply;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the tools that run as tasks, with clients that support tasks and with clients that do not.
 */
class TasksTest {
  private static final String TAKES_TASKS =
      "{\"elicitation\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}";

  private Server server;

  @BeforeEach
  void listen() throws IOException {
    server = Everything.server(null).listen("http://127.0.0.1:0/mcp");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Client client(Era era, String capabilities) {
    return new Client(era, URI.create(server.endpoint().toString()), capabilities);
  }

  /** Calls a tool that becomes a task, and returns the id of the task. */
  private static String task(Client client, String tool, String arguments) {
    Json result = client.tool(tool, arguments).result();
    assertThat(at(result, "resultType")).isEqualTo(Json.of("task"));
    return at(result, "taskId").as(String.class);
  }

  /** Waits for the notification that a task has a status, and returns the task. */
  private static Json when(Client client, String task, String status) {
    Map<String, Object> wanted = Map.of("notifications", Map.of("taskIds", List.of(task)));
    try (Client.Stream stream = client.open("subscriptions/listen", wanted, 1000)) {
      Json message = stream.next("subscriptions/listen");
      while (!Json.of(status).equals(at(message, "params").get("status"))) {
        message = stream.next("subscriptions/listen");
      }
    }
    return client.once("tasks/get", Map.of("taskId", task)).result();
  }

  private static String text(Json task) {
    return at(task, "result", "content", 0, "text").as(String.class);
  }

  @Test
  void theResultOfATaskIsFetchedLater() {
    Client client = client(Era.STATELESS, TAKES_TASKS);
    String task = task(client, "slow_compute", "{\"seconds\":0.2,\"label\":\"pi\"}");

    assertThat(text(when(client, task, "completed"))).isEqualTo("Computed pi for 0.2 s");
  }

  @Test
  void aTaskThatIsCancelledHasNoResult() {
    Client client = client(Era.STATELESS, TAKES_TASKS);
    String task = task(client, "slow_compute", "{\"seconds\":600,\"label\":\"pi\"}");

    client.call("tasks/cancel", Map.of("taskId", task)).result();

    assertThat(when(client, task, "cancelled").members()).doesNotContainKeys("result", "error");
  }

  @Test
  void aTaskAsksAndGoesOnAfterTheAnswer() {
    Client client = client(Era.STATELESS, TAKES_TASKS);
    String task = task(client, "confirm_delete", "{\"filename\":\"a.txt\"}");

    Json asking = when(client, task, "input_required");
    assertThat(at(asking, "inputRequests", "confirm", "params", "message"))
        .isEqualTo(Json.of("Delete a.txt?"));
    client.call(
        "tasks/update",
        Map.of(
            "taskId",
            task,
            "inputResponses",
            Map.of("confirm", Json.parse("{\"action\":\"decline\"}"))));

    assertThat(text(when(client, task, "completed"))).isEqualTo("Left a.txt alone");
  }

  @Test
  void aTaskMayAskSeveralQuestionsAtOnce() {
    Client client = client(Era.STATELESS, TAKES_TASKS);
    String task = task(client, "multi_input", "{}");

    Json asking = when(client, task, "input_required");
    assertThat(at(asking, "inputRequests").members()).containsOnlyKeys("first", "second");
    Json agreed = Json.parse("""
        {"action":"accept","content":{"name":"Ann","confirm":true}}""");
    client.call(
        "tasks/update",
        Map.of("taskId", task, "inputResponses", Map.of("first", agreed, "second", agreed)));

    assertThat(text(when(client, task, "completed"))).isEqualTo("Answered: first, second");
  }

  @Test
  void aCallMayAskBeforeItBecomesATask() {
    Client client = client(Era.STATELESS, TAKES_TASKS)
        .answering("elicitation/create", params -> Json.parse("""
            {"action":"accept","content":{"name":"Ann"}}"""));
    String task = task(client, "test_tool_with_task", "{}");

    assertThat(text(when(client, task, "completed"))).isEqualTo("Hello, Ann!");
  }

  @Test
  void aTaskFailsAsACallDoes() {
    Client client = client(Era.STATELESS, TAKES_TASKS);

    Json failed = when(client, task(client, "failing_job", "{}"), "completed");
    assertThat(at(failed, "result", "isError")).isEqualTo(Json.TRUE);
    assertThat(text(failed)).isEqualTo("The job has failed, as it always does.");
    Json error = when(client, task(client, "protocol_error_job", "{}"), "failed");
    assertThat(at(error, "error"))
        .isEqualTo(Json.parse("{\"code\":-32603,\"message\":\"The job cannot be run\"}"));
  }

  @ParameterizedTest
  @EnumSource
  void aToolThatMustBeATaskNeedsAClientWithTasks(Era era) {
    try (Client client = client(era, "{}")) {
      Reply reply = client.tool("failing_job", "{}");

      assertThat(reply.code()).isEqualTo(-32021);
      assertThat(at(reply.error(), "data"))
          .isEqualTo(
              Json.parse(
                  "{\"requiredCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"));
      assertThat(client.tool("protocol_error_job", "{}").code()).isEqualTo(-32603);
    }
  }
}
