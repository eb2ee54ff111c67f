package dev.repartee.a2a.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.a2a.server.StoredTask;
import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules of {@link TaskStore}, for every store. */
abstract class TaskStoreContract {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123Z");
  private static final A2aJson CODEC = A2aJson.lenient(ProtocolVersion.V1_0);

  /** The size of the tasks for which {@link #open} has room. */
  static final int ROOM = 20_000;

  private TaskStore store;

  /** Returns a store without tasks. */
  abstract TaskStore open() throws Exception;

  @BeforeEach
  void openStore() throws Exception {
    store = open();
  }

  static Task task(String id, @Nullable String context, TaskState state, @Nullable Instant time) {
    return new Task(id, context, new TaskStatus(state, null, time), List.of(), List.of(), null);
  }

  private void add(String id, String owner, String context, TaskState state, int minutes) {
    Task task = task(id, context, state, NOON.plusSeconds(60L * minutes));
    assertThat(store.save(new StoredTask(task, owner, 0))).isTrue();
  }

  private StoredTask found(String id) {
    StoredTask found = store.find(id);
    assertThat(found).isNotNull();
    return found;
  }

  private static TaskStore.Query all(int size, @Nullable String token) {
    return new TaskStore.Query(null, null, null, null, size, token);
  }

  private List<String> ids(TaskStore.Query query) {
    return store.list(query).tasks().stream().map(Task::id).toList();
  }

  // ---------------------------------------------------------------- one task

  @Test
  void aTaskThatWasNotSavedIsNotFound() {
    assertThat(store.find("unknown")).isNull();
    assertThat(store.find("with \0")).isNull();
    assertThat(store.find("long ".repeat(10_000))).isNull();
    assertThat(store.find("'; DROP TABLE a2a_tasks; --")).isNull();
  }

  @Test
  void aSavedTaskIsFoundWithAllItsContent() {
    Json data = Json.parse("{\"n\":12345678901234567890,\"s\":\"\\u0000\\ud800 \\u20ac\"}");
    Part[] parts = {
      Part.text("it's \"text\" with \0 and \u20ac"),
      Part.file("a.bin", "application/octet-stream", new byte[] {0, 1, (byte) 255}),
      Part.link("b", "text/plain", "https://example.com/?a=%27"),
      Part.data(data)
    };
    Task task = new Task(
        "t'1",
        "c\"1",
        new TaskStatus(TaskState.INPUT_REQUIRED, Message.agent("which?"), NOON),
        List.of(Artifact.of("result", parts)),
        List.of(Message.of(Role.USER, parts).in("c\"1", "t'1")),
        data);
    assertThat(store.save(new StoredTask(task, "ann", 0))).isTrue();
    StoredTask found = found("t'1");
    assertThat(CODEC.task(found.task())).isEqualTo(CODEC.task(task));
    assertThat(found.owner()).isEqualTo("ann");
    assertThat(found.version()).isEqualTo(1);
  }

  @Test
  void aTaskNeedsNeitherAnOwnerNorAContextNorATime() {
    Task task = task("t", null, TaskState.WORKING, null);
    assertThat(store.save(new StoredTask(task, null, 0))).isTrue();
    assertThat(found("t")).isEqualTo(new StoredTask(task, null, 1));
    assertThat(store.list(all(10, null)).tasks()).containsExactly(task);
    assertThat(ids(new TaskStore.Query(null, null, null, Instant.EPOCH, 10, null)))
        .isEmpty();
  }

  @Test
  void aChangeReplacesOnlyTheVersionThatItWasMadeFrom() {
    Task begun = task("t", "c", TaskState.WORKING, NOON);
    Task ended = task("t", "c", TaskState.COMPLETED, NOON.plusSeconds(1));
    assertThat(store.save(new StoredTask(begun, "ann", 1))).isFalse();
    assertThat(store.save(new StoredTask(begun, "ann", 0))).isTrue();
    assertThat(store.save(new StoredTask(ended, "ann", 0))).isFalse();
    assertThat(store.save(new StoredTask(ended, "ann", 2))).isFalse();
    assertThat(found("t")).isEqualTo(new StoredTask(begun, "ann", 1));
    assertThat(store.save(new StoredTask(ended, "ann", 1))).isTrue();
    assertThat(store.save(new StoredTask(begun, "ann", 1))).isFalse();
    assertThat(found("t")).isEqualTo(new StoredTask(ended, "ann", 2));
  }

  @Test
  void oneOfSeveralChangesAtOnceIsSaved() throws Exception {
    for (long version = 0; version < 3; version++) {
      StoredTask change = new StoredTask(task("t", "c", TaskState.WORKING, NOON), "ann", version);
      CountDownLatch go = new CountDownLatch(1);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Future<Boolean>> saves = IntStream.range(0, 4)
            .mapToObj(i -> threads.submit(() -> {
              go.await();
              return store.save(change);
            }))
            .toList();
        go.countDown();
        int saved = 0;
        for (Future<Boolean> each : saves) {
          saved += each.get() ? 1 : 0;
        }
        assertThat(saved).isEqualTo(1);
      } finally {
        threads.shutdownNow();
      }
    }
    assertThat(found("t").version()).isEqualTo(3);
  }

  @Test
  void aTaskThatIsTooLargeIsRefusedUnlessItHasEnded() {
    Message large = Message.agent("x".repeat(2 * ROOM));
    Task working = task("t", "c", TaskState.WORKING, NOON).with(large);
    assertThatThrownBy(() -> store.save(new StoredTask(working, null, 0)))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.error().code()).isEqualTo(-32000));
    Task ended = task("t", "c", TaskState.FAILED, NOON).with(large);
    assertThat(store.save(new StoredTask(ended, null, 0))).isTrue();
    assertThat(found("t").task()).isEqualTo(ended);
  }

  // ---------------------------------------------------------------- lists

  @Test
  void aListIsSortedByLatestStatusAndThenById() {
    add("b", "ann", "c", TaskState.WORKING, 1);
    add("a", "ann", "c", TaskState.WORKING, 1);
    add("c", "ann", "c", TaskState.WORKING, 2);
    add("d", "ann", "c", TaskState.WORKING, 0);
    assertThat(ids(all(10, null))).containsExactly("c", "a", "b", "d");
    Task later = task("d", "c", TaskState.COMPLETED, NOON.plusSeconds(600));
    assertThat(store.save(new StoredTask(later, "ann", 1))).isTrue();
    assertThat(ids(all(10, null))).containsExactly("d", "c", "a", "b");
  }

  @Test
  void aListHasOnlyTheTasksThatFitAllFilters() {
    add("1", "ann", "x", TaskState.WORKING, 1);
    add("2", "ann", "y", TaskState.COMPLETED, 2);
    add("3", "bob", "x", TaskState.COMPLETED, 3);
    add("4", "bob", "x", TaskState.WORKING, 4);
    assertThat(ids(new TaskStore.Query("ann", null, null, null, 9, null)))
        .containsExactly("2", "1");
    assertThat(ids(new TaskStore.Query(null, "x", null, null, 9, null)))
        .containsExactly("4", "3", "1");
    assertThat(ids(new TaskStore.Query(null, null, TaskState.WORKING, null, 9, null)))
        .containsExactly("4", "1");
    Instant third = NOON.plusSeconds(180);
    assertThat(ids(new TaskStore.Query(null, null, null, third, 9, null)))
        .containsExactly("4", "3");
    assertThat(ids(new TaskStore.Query(null, null, null, third.plusNanos(1), 9, null)))
        .containsExactly("4");
    assertThat(ids(new TaskStore.Query("bob", "x", TaskState.COMPLETED, NOON, 9, null)))
        .containsExactly("3");
    assertThat(ids(new TaskStore.Query("ann", "x", TaskState.COMPLETED, null, 9, null)))
        .isEmpty();
    assertThat(ids(new TaskStore.Query(null, "' OR '1'='1", null, null, 9, null)))
        .isEmpty();
    assertThat(ids(new TaskStore.Query(null, "with \0", null, null, 9, null))).isEmpty();
    assertThat(ids(new TaskStore.Query(null, null, null, Instant.MAX, 9, null))).isEmpty();
    assertThat(ids(new TaskStore.Query(null, null, null, Instant.MIN, 9, null))).hasSize(4);
  }

  @Test
  void pagesFollowOneAnotherWithoutGapsAlsoIfTasksChangeInBetween() {
    for (int i = 0; i < 7; i++) {
      add("t" + i, "ann", "c", TaskState.WORKING, i / 2);
    }
    ListTasksResponse page = store.list(all(3, null));
    assertThat(page.tasks()).extracting(Task::id).containsExactly("t6", "t4", "t5");
    assertThat(page.pageSize()).isEqualTo(3);
    assertThat(page.totalSize()).isEqualTo(7);
    Task changed = task("t5", "c", TaskState.COMPLETED, NOON.plusSeconds(3600));
    assertThat(store.save(new StoredTask(changed, "ann", 1))).isTrue();
    page = store.list(all(3, page.nextPageToken()));
    assertThat(page.tasks()).extracting(Task::id).containsExactly("t2", "t3", "t0");
    page = store.list(all(3, page.nextPageToken()));
    assertThat(page.tasks()).extracting(Task::id).containsExactly("t1");
    assertThat(page.nextPageToken()).isEmpty();
    assertThat(page.totalSize()).isEqualTo(7);
  }

  @Test
  void aFullLastPageHasNoToken() {
    add("1", "ann", "c", TaskState.WORKING, 1);
    add("2", "ann", "c", TaskState.WORKING, 2);
    assertThat(store.list(all(2, null)).nextPageToken()).isEmpty();
  }

  @Test
  void aPageTokenOfAnotherFormIsRefused() {
    List<String> tokens = new ArrayList<>(List.of("x", "?", ""));
    for (String text :
        List.of("1 2", "a b c", Long.MAX_VALUE + " 0 t", "1 " + Long.MAX_VALUE + "0 t")) {
      tokens.add(Base64.getUrlEncoder().encodeToString(text.getBytes(UTF_8)));
    }
    for (String token : tokens) {
      assertThatThrownBy(() -> store.list(all(10, token)))
          .as(token)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
