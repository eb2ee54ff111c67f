package dev.repartee.a2a.jdbc;

import static dev.repartee.a2a.jdbc.AgentClient.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.a2a.push.PushConfigStore;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.server.StoredTask;
import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.server.Turn;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.wire.PageToken;
import dev.repartee.json.Json;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tables, their errors, and servers that share them; for every database. */
abstract class TaskDatabaseContract {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  private final List<Server> servers = new ArrayList<>();
  private final CountDownLatch working = new CountDownLatch(1);
  private final Semaphore steps = new Semaphore(0);
  private final CountDownLatch stopped = new CountDownLatch(1);

  DataSource source;

  /** Returns a new database without tables. */
  abstract DataSource create() throws Exception;

  /** Returns the same database after a restart. */
  abstract DataSource reopen() throws Exception;

  /** Returns the same database with a wrong password. */
  abstract DataSource withPassword(String password) throws Exception;

  /** Returns a table with the column {@code n} and the numbers from 1 to 3,000. */
  abstract String numbers();

  @BeforeEach
  void createDatabase() throws Exception {
    source = create();
  }

  @AfterEach
  void closeServers() {
    steps.release(1_000);
    servers.forEach(server -> server.close(Duration.ZERO));
  }

  private void execute(String... sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : sql) {
        statement.execute(each);
      }
    }
  }

  private static void add(TaskStore store, String id, TaskState state, Instant time) {
    Task task = TaskStoreContract.task(id, "c", state, time);
    assertThat(store.save(new StoredTask(task, "ann", 0))).isTrue();
  }

  // ---------------------------------------------------------------- tables

  @Test
  void serversThatStartAtOnceCreateTheTablesOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      CountDownLatch go = new CountDownLatch(1);
      List<Future<TaskDatabase>> opened = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        opened.add(threads.submit(() -> {
          go.await();
          return TaskDatabase.open(source);
        }));
      }
      go.countDown();
      for (Future<TaskDatabase> each : opened) {
        assertThat(each.get().tasks().find("t")).isNull();
      }
    } finally {
      threads.shutdownNow();
    }
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM a2a_schema")) {
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(1);
    }
  }

  @Test
  void tablesOfALaterReleaseAreRefused() throws Exception {
    TaskDatabase.open(source);
    execute("UPDATE a2a_schema SET version = 99");
    assertThatThrownBy(() -> TaskDatabase.open(source))
        .isInstanceOf(TaskDatabaseException.class)
        .hasMessageContaining("a2a_schema has version 99")
        .hasMessageContaining("use a release that supports it");
  }

  @Test
  void aMissingColumnIsAnErrorWithTheTableAndARemedy() throws Exception {
    TaskStore store = TaskDatabase.open(source).tasks();
    execute("ALTER TABLE a2a_tasks DROP COLUMN version");
    assertThatThrownBy(() -> store.find("t"))
        .isInstanceOf(TaskDatabaseException.class)
        .hasMessageContaining("a2a_tasks")
        .hasMessageContaining("the next start creates them anew");
  }

  @Test
  void anErrorOfTheLoginDoesNotRepeatThePassword() throws Exception {
    TaskDatabase.open(source);
    assertThatThrownBy(() -> TaskDatabase.open(withPassword("a-secret-word")))
        .isInstanceOfSatisfying(TaskDatabaseException.class, e -> {
          assertThat(e).hasMessageContaining("user and password").hasNoCause();
          assertThat(e.toString()).doesNotContain("a-secret-word");
          assertThat(e.state()).startsWith("28");
        });
  }

  @Test
  void aRowThatIsNoTaskIsAnErrorWithItsId() throws Exception {
    TaskStore store = TaskDatabase.open(source).tasks();
    add(store, "t-1", TaskState.WORKING, NOON);
    execute("UPDATE a2a_tasks SET task = '[]'");
    assertThatThrownBy(() -> store.find("t-1"))
        .isInstanceOf(TaskDatabaseException.class)
        .hasMessageContaining("the row t-1 of the table a2a_tasks");
  }

  @Test
  void tasksThatHaveEndedLongAgoAreRemoved() throws Exception {
    TaskDatabase database = TaskDatabase.open(source);
    TaskStore store = database.tasks();
    execute("INSERT INTO a2a_tasks SELECT 'old' || n, 1, NULL, NULL, 'COMPLETED', n, '{}' FROM "
        + numbers());
    add(store, "failed", TaskState.FAILED, NOON);
    add(store, "working", TaskState.WORKING, NOON);
    add(store, "new", TaskState.COMPLETED, NOON.plusSeconds(3600));
    assertThat(database.removeEnded(NOON.plusSeconds(3600))).isEqualTo(3001);
    assertThat(store.list(new TaskStore.Query(null, null, null, null, 10, null)).tasks())
        .extracting(Task::id)
        .containsExactly("new", "working");
  }

  @Test
  void theAddressesOfATaskAreKeptWithIt() {
    TaskDatabase database = TaskDatabase.open(source);
    add(database.tasks(), "t", TaskState.COMPLETED, NOON);
    PushConfigStore configs = database.pushConfigs();
    TaskPushNotificationConfig first = new TaskPushNotificationConfig(
        "tenant", "b", "t", "https://one", "token", new AuthenticationInfo("Bearer", "secret"));
    configs.save(new StoredPushConfig("t", "b", first, "0.3"));
    configs.save(new StoredPushConfig("t", "a", config("t", "a", "https://two"), "1.0"));
    assertThat(configs.list("t"))
        .containsExactly(
            new StoredPushConfig("t", "a", config("t", "a", "https://two"), "1.0"),
            new StoredPushConfig("t", "b", first, "0.3"));
    configs.save(new StoredPushConfig("t", "b", config("t", "b", "https://three"), "1.0"));
    configs.delete("t", "a");
    configs.delete("t", "unknown");
    assertThat(configs.list("t"))
        .containsExactly(new StoredPushConfig("t", "b", config("t", "b", "https://three"), "1.0"));
    assertThat(database.removeEnded(NOON.plusSeconds(1))).isEqualTo(1);
    assertThat(configs.list("t")).isEmpty();
  }

  @Test
  void addressesBelongToATaskAndAreFew() {
    TaskDatabase database = TaskDatabase.open(source);
    add(database.tasks(), "t", TaskState.WORKING, NOON);
    PushConfigStore configs = database.pushConfigs();
    for (int i = 0; i < JdbcPushConfigStore.EACH; i++) {
      configs.save(new StoredPushConfig("t", "c" + i, config("t", "c" + i, "https://one"), "1.0"));
    }
    assertThatThrownBy(() ->
            configs.save(new StoredPushConfig("t", "d", config("t", "d", "https://one"), "1.0")))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.error().code()).isEqualTo(-32000));
    assertThatThrownBy(() ->
            configs.save(new StoredPushConfig("u", "d", config("u", "d", "https://one"), "1.0")))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.error().code()).isEqualTo(-32001));
    assertThat(configs.list("t")).hasSize(JdbcPushConfigStore.EACH);
    assertThat(configs.list("with \0")).isEmpty();
  }

  private static TaskPushNotificationConfig config(String taskId, String id, String url) {
    return new TaskPushNotificationConfig(url).withTaskId(taskId).withId(id);
  }

  @Test
  void aPageOfLargeTasksIsShorter() {
    TaskStore store = TaskDatabase.open(source, 1_000).tasks();
    for (int i = 0; i < 5; i++) {
      Task task = TaskStoreContract.task("t" + i, "c", TaskState.COMPLETED, NOON)
          .with(Message.agent("x".repeat(1_500)));
      assertThat(store.save(new StoredTask(task, null, 0))).isTrue();
    }
    List<String> seen = new ArrayList<>();
    String token = null;
    do {
      ListTasksResponse page = store.list(new TaskStore.Query(null, null, null, null, 10, token));
      assertThat(page.tasks()).hasSizeBetween(1, 2);
      page.tasks().forEach(task -> seen.add(task.id()));
      token = page.nextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).containsExactly("t0", "t1", "t2", "t3", "t4");
  }

  @Test
  void aListReadsByIndex() throws Exception {
    TaskDatabase.open(source);
    execute(
        "INSERT INTO a2a_tasks SELECT 't' || n, 1, 'owner' || n % 30, 'context' || n % 300,"
            + " CASE WHEN n % 100 = 0 THEN 'WORKING' ELSE 'COMPLETED' END, n, '{}' FROM "
            + numbers(),
        "ANALYZE");
    String last = new PageToken(Instant.ofEpochMilli(2000), "t2000").text();
    for (TaskStore.Query query : List.of(
        new TaskStore.Query(null, null, null, null, 10, last),
        new TaskStore.Query("owner1", null, null, null, 10, last),
        new TaskStore.Query(null, "context1", null, null, 10, last),
        new TaskStore.Query(null, null, TaskState.WORKING, null, 10, last),
        new TaskStore.Query(null, null, null, Instant.ofEpochMilli(2900), 10, null))) {
      Filter filter = Filter.of(query);
      String token = query.pageToken();
      Filter page = token == null ? filter : filter.after(PageToken.parse(token));
      assertThat(plan(JdbcTaskStore.pageSql(page), page)).as(page.where()).contains("a2a_tasks_");
    }
  }

  /** Returns how the database runs a query; an index has the name of the table and more. */
  private String plan(String sql, Filter filter) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (Connection connection = source.getConnection();
        PreparedStatement statement = connection.prepareStatement("EXPLAIN " + sql)) {
      statement.setInt(filter.set(statement), 11);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          plan.append(rows.getString(1).toLowerCase(Locale.ROOT)).append('\n');
        }
      }
    }
    assertThat(plan.toString()).doesNotContain("seq scan").doesNotContain("tablescan");
    return plan.toString();
  }

  // ---------------------------------------------------------------- servers

  private AgentClient serve() throws IOException {
    Server server = A2aServer.builder(AgentCard.builder("Test", "Waits", "1").build())
        .agent(this::handle)
        .store(TaskDatabase.open(source).tasks())
        .options(Options.builder().listener(Listener.NONE).build())
        .build()
        .listen("http://127.0.0.1:0/a2a");
    servers.add(server);
    return AgentClient.of(server);
  }

  private void handle(Turn turn) throws Exception {
    switch (turn.message().text()) {
      case "wait" -> {
        turn.working("begun");
        working.countDown();
        steps.acquire();
        try {
          turn.working();
        } catch (CancellationException e) {
          stopped.countDown();
          throw e;
        }
      }
      case "ask" -> turn.requireInput("Which colour?");
      default -> {
        turn.artifact(Artifact.of("colour", Part.text(turn.message().text())));
        turn.complete();
      }
    }
  }

  private static String id(String id) {
    return "{\"id\":\"" + id + "\"}";
  }

  @Test
  void aTaskIsReadListedAndCancelledThroughAnotherServer() throws Exception {
    AgentClient first = serve();
    AgentClient second = serve();
    String id = text(first.send("wait", ""), "id");
    working.await();
    assertThat(text(second.result("GetTask", id(id)), "status", "state"))
        .isEqualTo("TASK_STATE_WORKING");
    Json list = second.result("ListTasks", "{\"status\":\"TASK_STATE_WORKING\"}");
    assertThat(text(list.get("tasks").at(0), "id")).isEqualTo(id);

    assertThat(text(second.result("CancelTask", id(id)), "status", "state"))
        .isEqualTo("TASK_STATE_CANCELED");
    steps.release();
    assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue(); // with its next event
    assertThat(text(first.result("GetTask", id(id)), "status", "state"))
        .isEqualTo("TASK_STATE_CANCELED");
    assertThat(first.call("CancelTask", id(id)).get("error").get("code").toString())
        .isEqualTo("-32002");
  }

  @Test
  void tasksSurviveARestartAndGoOn() throws Exception {
    AgentClient before = serve();
    String asked = text(before.send("ask", ""), "id");
    String ended = text(before.send("red", ""), "id");
    servers.remove(0).close(Duration.ZERO);

    source = reopen();
    AgentClient after = serve();
    Json kept = after.result("GetTask", id(ended));
    assertThat(text(kept, "status", "state")).isEqualTo("TASK_STATE_COMPLETED");
    assertThat(text(kept.get("artifacts").at(0).get("parts").at(0), "text")).isEqualTo("red");
    Json done = after.send("blue", ",\"taskId\":\"" + asked + "\"");
    assertThat(text(done, "id")).isEqualTo(asked);
    assertThat(text(done, "status", "state")).isEqualTo("TASK_STATE_COMPLETED");
    assertThat(done.get("history").elements()).hasSizeGreaterThan(2);
  }

  @Test
  void aTaskOfAServerThatHasCrashedIsCancelledThroughAnother() throws Exception {
    Task left = TaskStoreContract.task("left", "c", TaskState.WORKING, NOON);
    assertThat(TaskDatabase.open(source).tasks().save(new StoredTask(left, null, 0)))
        .isTrue();
    AgentClient client = serve();
    assertThat(text(client.result("CancelTask", id("left")), "status", "state"))
        .isEqualTo("TASK_STATE_CANCELED");
  }

  @Test
  void aContextThatNoTableCanStoreIsAnInvalidParameter() throws Exception {
    AgentClient client = serve();
    Json response = client.call("SendMessage", """
        {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"red"}],
         "contextId":"with \\u0000"}}""");
    assertThat(response.get("error").get("code").toString()).isEqualTo("-32602");
    assertThat(response.toString()).contains("message.contextId").contains("shorter text");
  }
}
