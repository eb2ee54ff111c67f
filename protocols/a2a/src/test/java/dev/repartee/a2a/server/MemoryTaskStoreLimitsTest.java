package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.json.Json;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MemoryTaskStoreLimitsTest {
  private static final String LONG = "x".repeat(1 << 20);
  private static final Json LARGE = Json.of(List.of(LONG));

  private static Task task(String id, List<Artifact> artifacts, Message... history) {
    TaskStatus status = new TaskStatus(TaskState.WORKING, null, LiveTask.now());
    return new Task(id, "c", status, artifacts, List.of(history), null);
  }

  private static Message message(@Nullable Json metadata, List<String> references, Part... parts) {
    Message given = Message.user("hi");
    return new Message(
        given.messageId(),
        null,
        null,
        given.role(),
        List.of(parts),
        metadata,
        List.of(),
        references);
  }

  /** Returns tasks with one long text each, in a member that a client or an agent sets. */
  static Stream<Task> longTasks() {
    Artifact named = new Artifact("a", null, LONG, List.of(Part.text("x")), null, List.of());
    return Stream.of(
        task("t", List.of(), message(LARGE, List.of(), Part.text("x"))),
        task("t", List.of(), message(null, List.of(LONG), Part.text("x"))),
        task("t", List.of(), message(null, List.of(), Part.link("x", "text/plain", LONG))),
        task("t", List.of(), message(null, List.of(), Part.link(LONG, "text/plain", "http://x"))),
        task("t", List.of(named)));
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("longTasks")
  void eachTextOfATaskCounts(Task task) {
    MemoryTaskStore store = new MemoryTaskStore(10, 1 << 20);
    assertThatThrownBy(() -> store.save(new StoredTask(task, null, 0)))
        .isInstanceOf(RpcException.class);
  }

  @Test
  void aPageOfLargeTasksIsShorterThanAskedFor() {
    MemoryTaskStore store = new MemoryTaskStore(100, 1 << 30);
    for (int i = 0; i < 10; i++) {
      store.save(new StoredTask(task("t" + i, List.of(), Message.user(LONG)), null, 0));
    }
    String token = null;
    int seen = 0;
    do {
      ListTasksResponse page =
          store.list(new TaskStore.Query(null, null, null, null, TaskStore.PAGE, token));
      assertThat(page.tasks()).hasSizeBetween(1, 5);
      assertThat(page.totalSize()).isEqualTo(10);
      seen += page.tasks().size();
      token = page.nextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).isEqualTo(10);
  }
}
