package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that violate the Agent Communication Protocol. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunsAgentTest {
  private final CompletableFuture<Json> cancelled = new CompletableFuture<>();
  private final AtomicInteger asked = new AtomicInteger();

  private static void began(Call call, String id) {
    Json session = Objects.requireNonNull(call.params()).get("session_id");
    Map<String, Object> run = Map.of("run_id", id, "session_id", Objects.requireNonNull(session));
    call.notify("runs/event", Map.of("run_id", id, "event", Map.of("run", run)));
  }

  /** Returns the failure of a task at a server. */
  private Throwable failure(Handler create) throws Exception {
    Service hostile = Service.builder()
        .method("agents/list", call -> Map.of("agents", List.of(Map.of("name", "a"))))
        .method("runs/create", create)
        .method("runs/resume", create)
        .method("runs/cancel", call -> cancelled.complete(call.params()))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", hostile);
        Agent client = new AgentConnector(Options.DEFAULT, Duration.ofSeconds(60))
            .connect("r", "acp-runs+" + server.endpoint())) {
      Task task = Task.of(null, Json.of("go")).withHuman(question -> {
        asked.incrementAndGet();
        return CompletableFuture.completedFuture(Answer.agreed(Json.of(Map.of("answer", "yes"))));
      });
      Throwable failure =
          client.run(task).handle((output, thrown) -> thrown).get(60, TimeUnit.SECONDS);
      assertThat(Failure.of(failure).kind()).isEqualTo(Failure.Kind.PROTOCOL);
      assertThat(cancelled.get(60, TimeUnit.SECONDS)).isEqualTo(Json.parse("{\"run_id\":\"7\"}"));
      return failure;
    }
  }

  @Test
  void aRunMayOutliveTheCallThatHasStartedIt() throws Exception {
    Service runs = Service.builder()
        .method("agents/list", call -> Map.of("agents", List.of(Map.of("name", "a"))))
        .method("runs/create", call -> new CompletableFuture<>())
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", runs)) {
      Task task = Task.of(null, Json.of("go"));
      assertThat(RunInCall.timeLeft("runs/create", "acp-runs+" + server.endpoint(), task))
          .isEmpty();
    }
  }

  @Test
  void anotherIdOfTheRunFailsTheTaskAndCancelsTheRun() throws Exception {
    assertThat(failure(call -> {
          began(call, "7");
          began(call, "7");
          began(call, "8");
          return new CompletableFuture<>();
        }))
        .hasMessageContaining("changed the id of the run from 7 to 8");
  }

  @Test
  void anIdOfMoreThan200CharactersFailsTheTask() throws Exception {
    String id = "x".repeat(201);
    cancelled.complete(Json.parse("{\"run_id\":\"7\"}")); // a run without an id is not cancelled
    assertThat(failure(call -> Map.of("run_id", id, "status", "completed")))
        .hasMessageContaining("200 characters: " + id.substring(0, 200) + "...");
  }

  @Test
  void aRunAsksItsHumanAHundredTimesAtMost() throws Exception {
    assertThat(failure(call -> Map.of("run_id", "7", "status", "awaiting")))
        .hasMessageContaining("100 questions");
    assertThat(asked).hasValue(100);
  }
}
