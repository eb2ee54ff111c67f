package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpRoutes;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the memory of a client if the agent sends too much. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamMemoryTest {
  private static final int BUDGET = 300_000;
  private static final String TASK =
      "{'id':'t','contextId':'c','status':{'state':'TASK_STATE_%s'%s}}";

  private final MemoryBudget budget = MemoryBudget.of(BUDGET);
  private volatile List<String> events = List.of(); // of a stream; the first event answers a call
  private Server server;
  private A2aClient client;

  @BeforeEach
  void start() throws IOException {
    server = Repartee.listen(
        "http://127.0.0.1:0", HttpRoutes.builder().at("/", this::serve).build());
    client = A2aClient.builder().budget(budget).endpoint(server.endpoint().toString(), "1.0");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private void serve(HttpRequest request, HttpReply reply) {
    Json call = Json.parse(request.body());
    if (call.string("method").equals("SendStreamingMessage")) {
      reply.stream(Map.of());
      events.forEach(event -> reply.send(HttpReply.Event.of(response(call, event))));
      reply.end();
    } else {
      reply.answer(200, Map.of("content-type", "application/json"), response(call, events.get(0)));
    }
  }

  private static byte[] response(Json call, String result) {
    return ("{'jsonrpc':'2.0','id':" + call.get("id") + ",'result':" + result + "}")
        .replace('\'', '"')
        .getBytes(UTF_8);
  }

  private static String message(int length) {
    return "{'messageId':'m','role':'ROLE_AGENT','parts':[{'text':'" + "x".repeat(length) + "'}]}";
  }

  private static String event(String kind, int number) {
    String status = "'status':{'state':'TASK_STATE_WORKING','message':" + message(20_000) + "}";
    String parts = "'parts':["
        + String.join(",", Collections.nCopies(200, "{'text':'" + "x".repeat(88) + "'}"))
        + "]";
    return switch (kind) {
      case "status" -> "{'statusUpdate':{'taskId':'t','contextId':'c'," + status + "}}";
      case "artifacts" ->
        "{'artifactUpdate':{'taskId':'t','contextId':'c','artifact':{'artifactId':'a" + number
            + "'," + parts + "}}}";
      default ->
        "{'artifactUpdate':{'taskId':'t','contextId':'c','append':" + (number > 0)
            + ",'artifact':{'artifactId':'a'," + parts + "}}}";
    };
  }

  private static String task(String state, String more) {
    return "{'task':" + TASK.formatted(state, more) + "}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "artifacts", "parts"})
  void aTaskLargerThanTheBudgetFailsNamingTheLimit(String kind) {
    events = Stream.concat(
            Stream.of(task("WORKING", "")),
            IntStream.range(0, 20).mapToObj(number -> event(kind, number)))
        .toList();
    try (EventStream stream = client.stream(Message.user("go"))) {
      assertThatThrownBy(stream::last)
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("events of the task t are too large together")
          .hasMessageContaining("the limit heldBytes of " + BUDGET);
      assertThat(stream.task()).isNull();
      List<StreamResponse> rest =
          Stream.generate(stream::next).limit(5).toList(); // each of them fits
      assertThat(rest).doesNotContainNull();
    }
    assertThat(budget.held()).isZero();
  }

  @Test
  void aCompleteTaskReplacesATaskThatWasTooLarge() {
    events = Stream.of(
            Stream.of(task("WORKING", "")),
            IntStream.range(0, 20).mapToObj(number -> event("artifacts", number)),
            Stream.of(task("COMPLETED", "")))
        .flatMap(each -> each)
        .toList();
    try (EventStream stream = client.stream(Message.user("go"))) {
      stream.next();
      for (int i = 0; i < 20; i++) {
        assertThat(stream.next()).isInstanceOf(TaskArtifactUpdateEvent.class);
      }
      assertThat(stream.task()).isNull();
      assertThat(stream.last()).isInstanceOf(Task.class);
    }
  }

  @Test
  void anEventLargerThanTheBudgetEndsTheStreamNamingTheLimit() {
    events = List.of(task("WORKING", ",'message':" + message(BUDGET)));
    try (EventStream stream = client.stream(Message.user("go"))) {
      assertThatThrownBy(stream::next)
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("an event of the agent is too large")
          .hasMessageContaining("the limit heldBytes of " + BUDGET);
    }
    assertThat(budget.held()).isZero();
  }

  @Test
  void anAnswerLargerThanTheBudgetFailsNamingTheLimit() {
    events = List.of(TASK.formatted("WORKING", ",'message':" + message(BUDGET)));
    assertThatThrownBy(() -> client.task("t"))
        .isInstanceOf(LimitException.class)
        .hasMessageContaining("the limit heldBytes of " + BUDGET);
    assertThat(budget.held()).isZero();
    events = List.of(TASK.formatted("WORKING", ""));
    assertThat(client.task("t").id()).isEqualTo("t");
  }
}
