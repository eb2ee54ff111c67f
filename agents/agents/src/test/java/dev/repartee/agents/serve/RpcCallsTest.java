package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that are served as methods of JSON-RPC. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RpcCallsTest {
  private static final int MOST = 4;

  private final Agent asking = LocalAgent.named("asking")
      .skill(
          "ask",
          task -> task.ask("asking", "May I?", null)
              .toCompletableFuture()
              .handle((answer, failure) -> failure == null ? "granted" : "no answer")
              .get())
      .build();

  private static Server serve(Agent agent, Duration absence) throws IOException {
    RpcCalls calls = new RpcCalls(agent, agent.skills().get(0), new Places(MOST), absence);
    return Repartee.listen(
        "tcp://127.0.0.1:0", Service.builder().method("ask", calls).build());
  }

  private static Server serve(Agent agent) throws IOException {
    return serve(agent, OpenTask.ABSENCE);
  }

  private static Peer connect(Server server, Service human) throws IOException {
    return Repartee.connect(server.endpoint().toString(), human, Options.DEFAULT);
  }

  /** A caller that answers no question. */
  private static Service silent(Semaphore asked) {
    return Service.builder()
        .method("agent.ask", Lane.INLINE, call -> {
          asked.release();
          return new CompletableFuture<>();
        })
        .build();
  }

  @Test
  void anAnswerIsNotReadOnTheThreadOfTheConnection() throws Exception {
    CountDownLatch attached = new CountDownLatch(1);
    CompletableFuture<Boolean> isReading = new CompletableFuture<>();
    Agent agent = LocalAgent.named("a")
        .skill("ask", task -> {
          CompletableFuture<?> read = task.ask("a", "May I?", null)
              .thenAccept(answer -> isReading.complete(ReadingThread.isCurrent()))
              .toCompletableFuture();
          attached.countDown();
          read.get();
          return "done";
        })
        .build();
    Service human = Service.builder()
        .method("agent.ask", call -> {
          attached.await();
          return true;
        })
        .build();
    try (Server server = serve(agent);
        Peer client = connect(server, human)) {
      assertThat(client.request("ask").call(String.class)).isEqualTo("done");
      assertThat(isReading.get(60, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void aQuestionWithoutAnAnswerExpires() throws Exception {
    try (Server server = serve(asking, Duration.ofMillis(1));
        Peer client = connect(server, silent(new Semaphore(0)))) {
      assertThat(client.request("ask").call(String.class)).isEqualTo("no answer");
      client.close(Duration.ZERO); // its call of agent.ask never ends
    }
  }

  @Test
  void aTaskThatWaitsForItsCallerIsCancelledForANewTask() throws Exception {
    Semaphore asked = new Semaphore(0);
    try (Server server = serve(asking);
        Peer client = connect(server, silent(asked))) {
      List<CallFuture<Json>> calls = new ArrayList<>();
      for (int i = 0; i <= MOST / 2; i++) {
        calls.add(client.request("ask").send(Json.class));
        assertThat(asked.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThatThrownBy(() -> calls.get(0).get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.CANCELLED));
      assertThat(calls.subList(1, calls.size())).noneMatch(CompletableFuture::isDone);
      client.close(Duration.ZERO); // its calls of agent.ask never end
    }
  }

  @Test
  void runningTasksOfOneCallerUseHalfOfThePlacesUntilTheyEnd() throws Exception {
    Semaphore running = new Semaphore(0);
    CountDownLatch end = new CountDownLatch(1);
    Agent agent = LocalAgent.named("a")
        .skill("ask", task -> {
          running.release();
          end.await();
          return "done";
        })
        .build();
    try (Server server = serve(agent);
        Peer client = connect(server, Service.builder().build())) {
      List<CallFuture<Json>> calls = new ArrayList<>();
      for (int i = 0; i < MOST / 2; i++) {
        calls.add(client.request("ask").send(Json.class));
        assertThat(running.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThatThrownBy(() -> client.request("ask").call(Json.class))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.BUSY));
      end.countDown();
      for (CallFuture<Json> call : calls) {
        assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(Json.of("done"));
      }
      assertThat(client.request("ask").call(String.class)).isEqualTo("done");
    }
  }
}
