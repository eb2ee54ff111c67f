package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.a2a.Http;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the shares of clients in a store of tasks. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TaskSharesTest {
  private static final int TASKS = 10;
  private static final long BYTES = 64 << 10;
  private static final Duration INPUT_TIME = Duration.ofMinutes(10);

  private final TestAgent agent = new TestAgent();
  private final FakeClock clock = new FakeClock();
  private final MemoryTaskStore store = new MemoryTaskStore(TASKS, BYTES, INPUT_TIME, clock);
  private @Nullable Server server;

  private Server listen(A2aServer.Builder builder) throws IOException {
    return listen(builder, store);
  }

  private Server listen(A2aServer.Builder builder, TaskStore store) throws IOException {
    server = builder.store(store).build().listen("http://127.0.0.1:0/");
    return server;
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static String message(String text, String configuration) {
    return "{'configuration':{" + configuration + "},'message':{'messageId':'m','role':'ROLE_USER',"
        + "'parts':[{'text':'" + text + "'}]}}";
  }

  private static String params(String text) {
    return message(text, "").replace('\'', '"');
  }

  private static String request(String text, String configuration) {
    return ("{'jsonrpc':'2.0','id':1,'method':'SendMessage','params':"
            + message(text, configuration) + "}")
        .replace('\'', '"');
  }

  private static String state(Json response) {
    Json result = response.get("result");
    assertThat(result).as(response.toString()).isNotNull();
    return String.valueOf(result.get("task").get("status").get("state").string());
  }

  /** Returns the response to a request from an address such as {@code 127.0.0.2}. */
  private static Json post(String from, URI to, String body) throws IOException {
    Socket socket = new Socket(
        InetAddress.getByName(to.getHost()), to.getPort(), InetAddress.getByName(from), 0);
    try (RawConnection client = new RawConnection(socket)) {
      return Json.parse(client.send(RawConnection.post(body)).body());
    }
  }

  @Test
  void manyWaitingTasksOfOneAddressDoNotKeepAnotherAddressOut() throws Exception {
    URI uri = URI.create(listen(agent.server()).endpoint().toString());
    for (int i = 0; i < 3 * TASKS; i++) {
      assertThat(state(post("127.0.0.2", uri, request("ask", ""))))
          .isEqualTo("TASK_STATE_INPUT_REQUIRED");
    }
    for (int i = 0; i < TASKS / 2; i++) {
      assertThat(state(post("127.0.0.1", uri, request("ask", ""))))
          .isEqualTo("TASK_STATE_INPUT_REQUIRED");
    }
  }

  @Test
  void largeWaitingTasksOfOnePrincipalDoNotKeepAnotherOneOut() throws Exception {
    Http http = new Http(listen(agent.server().authentication(call -> call.header("x-name"))));
    String large = params("ask " + "x".repeat(10_000));
    for (int i = 0; i < 20; i++) {
      http.with("x-name", "mallory").result("SendMessage", large);
    }
    Json mine = http.with("x-name", "alice").result("SendMessage", params("ask"));
    for (int i = 0; i < 20; i++) {
      http.with("x-name", "mallory").result("SendMessage", large);
    }
    String id = String.valueOf(mine.get("task").get("id").string());
    assertThat(http.with("x-name", "alice").result("GetTask", "{\"id\":\"" + id + "\"}"))
        .isNotNull();
  }

  @Test
  void runningTasksOfOneClientUseHalfOfTheStoreAtMost() throws Exception {
    Http http = new Http(listen(agent.server().authentication(call -> call.header("x-name"))));
    String wait = message("wait", "'returnImmediately':true").replace('\'', '"');
    for (int i = 0; i < TASKS / 2; i++) {
      http.with("x-name", "mallory").result("SendMessage", wait);
    }
    Json error = http.with("x-name", "mallory").error("SendMessage", wait);
    assertThat(error.get("code")).isEqualTo(Json.of(Errors.BUSY));
    http.with("x-name", "alice").result("SendMessage", params("work hard"));
  }

  @Test
  void aTaskWithoutAnAnswerOfItsClientExpires() throws Exception {
    Http http = new Http(listen(agent.server()));
    Json task = http.result("SendMessage", params("ask")).get("task");
    String id = "{\"id\":\"" + task.get("id").string() + "\"}";
    clock.advance(INPUT_TIME.minusNanos(1));
    assertThat(http.result("GetTask", id).get("status").get("state").string())
        .isEqualTo("TASK_STATE_INPUT_REQUIRED");
    clock.advance(Duration.ofNanos(1));
    Json expired = http.result("GetTask", id).get("status");
    assertThat(expired.get("state").string()).isEqualTo("TASK_STATE_CANCELED");
    assertThat(expired.toString()).contains("No message arrived within 600 s.");
  }

  @Test
  void aStreamOfATaskThatExpiresEndsWithItsCancelledStatus() throws Exception {
    Http http = new Http(listen(agent.server()));
    String task = asked(http);
    try (Http.Events events = http.open("SubscribeToTask", task)) {
      events.result();
      clock.advance(INPUT_TIME);
      http.result("ListTasks", "{}"); // any use of the store
      assertThat(last(events)).isEqualTo("TASK_STATE_CANCELED");
    }
  }

  @Test
  void aStoreThatPassesOnAllCallsEndsStreamsToo() throws Exception {
    TaskStore around = (TaskStore) Proxy.newProxyInstance(
        TaskStore.class.getClassLoader(),
        new Class<?>[] {TaskStore.class},
        (proxy, method, arguments) -> method.invoke(store, arguments));
    Http http = new Http(listen(agent.server(), around));
    try (Http.Events events = http.open("SubscribeToTask", asked(http))) {
      events.result();
      clock.advance(INPUT_TIME);
      http.result("ListTasks", "{}");
      assertThat(last(events)).isEqualTo("TASK_STATE_CANCELED");
    }
  }

  @Test
  void aStreamOfAnEvictedTaskEndsWithACancelledStatus() throws Exception {
    Http http = new Http(listen(agent.server()));
    String task = asked(http);
    try (Http.Events events = http.open("SubscribeToTask", task)) {
      events.result();
      for (int i = 0; i < TASKS / 2; i++) {
        asked(http);
      }
      assertThat(last(events)).isEqualTo("TASK_STATE_CANCELED");
      assertThat(http.error("GetTask", task).get("code")).isEqualTo(Json.of(Errors.TASK_NOT_FOUND));
    }
  }

  @Test
  void aWaitingTaskExpiresInAStoreThatIsNotUsed() throws Exception {
    Http http = new Http(listen(agent.server()));
    List<TaskState> ended = new CopyOnWriteArrayList<>();
    store.onEnd(last -> ended.add(last.status().state()));
    asked(http);
    clock.advance(INPUT_TIME);
    assertThat(ended).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertThat(ended).containsExactly(TaskState.CANCELED);
    assertThat(clock.timers()).isZero();
  }

  private static String asked(Http http) throws Exception {
    Json task = http.result("SendMessage", params("ask")).get("task");
    return "{\"id\":\"" + task.get("id").string() + "\"}";
  }

  private static String last(Http.Events events) throws Exception {
    List<Json> rest = events.rest();
    Json last = rest.get(rest.size() - 1).get("statusUpdate");
    return String.valueOf(last.get("status").get("state").string());
  }

  @Test
  void anAnswerBeginsTheTimeOfTheNextQuestionAnew() throws Exception {
    Http http = new Http(listen(agent.server()));
    String id = String.valueOf(
        http.result("SendMessage", params("ask")).get("task").get("id").string());
    clock.advance(INPUT_TIME.minusNanos(1));
    http.result(
        "SendMessage",
        params("ask").replace("\"messageId\":\"m", "\"taskId\":\"" + id + "\",\"messageId\":\"n"));
    clock.advance(INPUT_TIME.minusNanos(1));
    assertThat(store.find(id).task().state()).isEqualTo(TaskState.INPUT_REQUIRED);
    clock.advance(Duration.ofSeconds(1));
    assertThat(store.find(id).task().state()).isEqualTo(TaskState.CANCELED);
  }
}
