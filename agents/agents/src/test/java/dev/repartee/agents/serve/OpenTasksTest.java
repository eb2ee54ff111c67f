package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.agents.Agent;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of clients that share an agent. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenTasksTest {
  private static final int MOST = 10;

  private final Agent asking = LocalAgent.named("asking")
      .skill("ask", task -> {
        return task.ask("asking", "May I?", null).toCompletableFuture().get().granted();
      })
      .build();

  private static @Nullable OpenTask start(OpenTasks tasks, String id, String client) {
    return tasks.start(id, client, null, Json.NULL);
  }

  private static boolean isCancelled(@Nullable OpenTask task) {
    return Objects.requireNonNull(task).output().isCancelled();
  }

  @Test
  void runningTasksOfOneClientUseHalfOfThePlacesUntilTheyEnd() throws Exception {
    OpenTasks tasks = new OpenTasks(asking, MOST);
    List<OpenTask> hostile = new ArrayList<>();
    for (int i = 0; i < MOST / 2; i++) {
      hostile.add(start(tasks, "h" + i, "mallory"));
    }
    assertThat(start(tasks, "h", "mallory")).isNull();
    assertThat(start(tasks, "a", "ann")).isNotNull();
    assertThat(hostile).doesNotContainNull().noneMatch(OpenTasksTest::isCancelled);
    hostile.get(0).cancel();
    assertThat(start(tasks, "h", "mallory")).isNotNull();
    assertThat(tasks.find("h0")).isNull();
  }

  @Test
  void aTaskThatWaitsForItsClientIsCancelledForANewTaskOfThisClient() {
    OpenTasks tasks = new OpenTasks(asking, MOST);
    List<OpenTask> hostile = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      OpenTask task = start(tasks, "h" + i, "mallory");
      hostile.add(task);
      task.leave();
    }
    assertThat(hostile.subList(0, MOST / 2)).allMatch(OpenTasksTest::isCancelled);
    assertThat(hostile.subList(MOST / 2, MOST)).noneMatch(OpenTasksTest::isCancelled);
    hostile.get(MOST / 2).enter(report -> {}); // a call serves the oldest task again
    start(tasks, "h", "mallory");
    assertThat(hostile.get(MOST / 2).output()).isNotDone();
    assertThat(isCancelled(hostile.get(MOST / 2 + 1))).isTrue();
  }

  @Test
  void aClientOfA2aWithManyOpenTasksDoesNotKeepANeighbourOut() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Agent busy = LocalAgent.named("busy")
        .skill("wait", task -> {
          if (!task.input().text().equals("now")) {
            ended.await();
          }
          return "done";
        })
        .build();
    A2aServer agent = A2aServer.builder(
            AgentCard.builder("busy", "Waits", "1").streaming().build())
        .agent(new A2aTurns(new OpenTasks(busy, MOST)))
        .authentication(request -> request.headers().get("x-name"))
        .build();
    try (Server server = agent.listen("http://127.0.0.1:0/");
        A2aClient hostile = client(server, "mallory");
        A2aClient neighbour = client(server, "ann")) {
      List<CompletableFuture<TaskState>> all = new ArrayList<>();
      for (int i = 0; i <= MOST / 2; i++) {
        all.add(CompletableFuture.supplyAsync(
            () -> sent(hostile, "later"), action -> new Thread(action).start()));
      }
      assertThat(CompletableFuture.anyOf(all.toArray(CompletableFuture[]::new))
              .get(60, TimeUnit.SECONDS))
          .isEqualTo(TaskState.REJECTED);
      assertThat(sent(neighbour, "now")).isEqualTo(TaskState.COMPLETED);
      ended.countDown();
      for (CompletableFuture<TaskState> each : all) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isIn(TaskState.REJECTED, TaskState.COMPLETED);
      }
    }
  }

  private static A2aClient client(Server server, String name) {
    return A2aClient.builder().header("x-name", name).endpoint(server.endpoint().toString(), "1.0");
  }

  private static TaskState sent(A2aClient client, String text) {
    return ((Task) client.send(Message.user(text))).state();
  }
}
