package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks over HTTP. */
@Timeout(60)
class TasksHttpTest {
  private static final String META = "\"_meta\":{"
      + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":"
      + "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}},"
      + "\"progressToken\":\"p\"}";

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private Server server;
  private Http http;

  @BeforeEach
  void listen() throws Exception {
    server = McpServer.builder("test", "1")
        .tool(Tool.named("work").tasks(Tool.TaskSupport.REQUIRED).handle((call, arguments) -> {
          goOn.await();
          return call.cancellation().isCancelled() ? "cancelled" : "done";
        }))
        .tool(Tool.named("hold").detaching().handle((call, arguments) -> {
          call.cancellation().onCancel(cancelled::countDown);
          call.progress(1, 2);
          cancelled.await();
          return "never";
        }))
        .build()
        .listen("http://127.0.0.1:0/mcp");
    http = new Http(server);
  }

  @AfterEach
  void close() {
    server.close(Duration.ofSeconds(1));
  }

  private HttpResponse<String> post(String method, String name, String params) throws Exception {
    return http.stateless(method).with("Mcp-Name", name).post(request(method, params + META));
  }

  private static String request(String method, String params) {
    return """
        {"jsonrpc":"2.0","id":"x","method":"%s","params":{%s}}""".formatted(method, params);
  }

  private static Json result(HttpResponse<String> answer) {
    return Objects.requireNonNull(Http.json(answer).get("result"), answer.body());
  }

  @Test
  void aTaskContinuesAfterItsRequestAndIsFetchedById() throws Exception {
    HttpResponse<String> answer = post("tools/call", "work", "\"name\":\"work\",");
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
    String id = Objects.requireNonNull(result(answer).get("taskId")).as(String.class);
    String task = "\"taskId\":" + Json.of(id) + ",";

    String listen = request(
        "subscriptions/listen", "\"notifications\":{\"taskIds\":[" + Json.of(id) + "]}," + META);
    try (Http.Events events = http.stateless("subscriptions/listen").open(listen)) {
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/subscriptions/acknowledged", id);
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/tasks", "\"status\":\"working\"");
      goOn.countDown();
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/tasks", "\"status\":\"completed\"", "\"text\":\"done\"");
    }

    assertThat(post("tasks/get", id, task).body()).contains("\"text\":\"done\"");
    HttpResponse<String> wrong = post("tasks/get", "another", task);
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("-32020");
  }

  @Test
  void aClientThatDisconnectsBeforeItsCallIsATaskCancelsIt() throws Exception {
    String call = request("tools/call", "\"name\":\"hold\"," + META);
    try (Http.Events events =
        http.stateless("tools/call").with("Mcp-Name", "hold").open(call)) {
      assertThat(Objects.requireNonNull(events.next()).json().toString())
          .contains("notifications/progress");
    }
    cancelled.await();
  }

  @Test
  void aClientWithoutTheExtensionIsRejectedWithStatus400() throws Exception {
    String call = request("tools/call", "\"name\":\"work\"," + META)
        .replace("{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}", "{}");
    HttpResponse<String> answer =
        http.stateless("tools/call").with("Mcp-Name", "work").post(call);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("-32021");
  }
}
