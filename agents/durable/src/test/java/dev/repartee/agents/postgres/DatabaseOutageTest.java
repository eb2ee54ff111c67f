package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunResult;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stops a PostgreSQL server during a run. */
@Tag("ci")
@Timeout(180)
class DatabaseOutageTest {
  private static final Plan PLAN = Plan.parse("""
      name: three
      agents: {worker: "exec:true"}
      steps:
        - {name: one, agent: worker, skill: report}
        - {name: two, agent: worker, skill: report}
        - {name: three, agent: worker, skill: report}
      """);

  @TempDir
  Path data;

  private StepServer steps;
  private EmbeddedPostgres server;

  @BeforeEach
  void start() throws Exception {
    steps = new StepServer();
    try {
      server = server(port());
    } catch (Exception | LinkageError e) {
      Assumptions.abort("the embedded PostgreSQL does not start here: " + e);
    }
  }

  /**
   * Returns a free port that the system does not assign to another program while the server is
   * down.
   */
  private static int port() throws IOException {
    for (int port = 20_000 + (int) (ProcessHandle.current().pid() % 10_000);
        port < 32_768;
        port++) {
      try (ServerSocket free = new ServerSocket(port)) {
        return free.getLocalPort();
      } catch (BindException e) {
        // Another server uses it.
      }
    }
    throw new IOException("there is no free port below the range of the system");
  }

  private EmbeddedPostgres server(int port) throws Exception {
    return EmbeddedPostgres.builder()
        .setPGStartupWait(Duration.ofSeconds(60))
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        .setPort(port)
        .setServerConfig("fsync", "off")
        .start();
  }

  @AfterEach
  void stop() throws Exception {
    steps.close();
    if (server != null) {
      stopServer();
    }
  }

  /**
   * Stops the server, and waits for its end: until then it holds its folder. {@link
   * EmbeddedPostgres} itself waits only 5 seconds.
   */
  private void stopServer() throws IOException {
    Path file = data.resolve("postmaster.pid");
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    server.close();
    if (!lines.isEmpty()) {
      ProcessHandle.of(Long.parseLong(lines.get(0)))
          .ifPresent(postgres -> postgres.onExit().join());
    }
  }

  private DurableRuns connect(Duration patience) throws Exception {
    String url = server.getJdbcUrl("postgres", "postgres");
    return DurableRuns.open(new Database(url, patience), 0, null, Clock.SYSTEM);
  }

  private static Run begin(Orchestrator orchestrator) {
    return orchestrator.request(PLAN).id("run-1").input(Json.EMPTY_OBJECT).start();
  }

  @Test
  void aRunGoesOnWhenTheDatabaseIsBack() throws Exception {
    try (DurableRuns runs = connect(Duration.ofSeconds(60));
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build()) {
      Run run = begin(here);
      steps.next().answer();
      StepServer.Effect second = steps.next();
      int port = server.getPort();
      stopServer();

      second.answer(); // the step ends while there is no database
      server = server(port);

      steps.next().answer();
      RunResult result = run.result().join();
      assertThat(result.failure()).isNull();
      assertThat(steps.effects()).containsExactly("run-1/one", "run-1/two", "run-1/three");
      assertThat(runs.await("run-1").state()).isEqualTo(DurableRun.State.SUCCEEDED);
    }
  }

  @Test
  void aRunEndsWithAClearErrorIfTheDatabaseStaysAwayAndCanBeResumedLater() throws Exception {
    int port = server.getPort();
    try (DurableRuns runs = connect(Duration.ofSeconds(10));
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build()) {
      Run run = begin(here);
      steps.next().answer();
      StepServer.Effect second = steps.next();
      stopServer();

      second.answer();

      String place = "postgresql://localhost:" + port + "/postgres";
      assertThat(run.result().join().failure())
          .isEqualTo(new Failure(
              Failure.Kind.CANCELLED,
              "this process no longer executes the run: the database " + place
                  + " has not been reachable for 10 s"));
      Json plan = PLAN.source();
      Map<String, ThrowingCallable> calls = Map.of(
          "find", () -> runs.find("run-1"),
          "list", () -> runs.list(10),
          "submit", () -> runs.submit("run-2", plan, Json.EMPTY_OBJECT),
          "cancel", () -> runs.cancel("run-1"));
      List<CompletableFuture<String>> waiting = calls.entrySet().stream()
          .map(call -> CompletableFuture.supplyAsync(
              () -> call.getKey() + ": " + catchThrowable(call.getValue()),
              task -> new Thread(task).start()))
          .toList();
      Run again = begin(here);
      assertThat(waiting)
          .allSatisfy(thrown -> assertThat(thrown.join())
              .endsWith(": " + UncheckedIOException.class.getName() + ": the database " + place
                  + " has not been reachable for 10 s"));
      assertThat(again.result().join().failure().message())
          .contains("the journal cannot open the run", "not been reachable for 10 s");
    }
    server = server(port);
    try (DurableRuns runs = connect(Duration.ofSeconds(60));
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build()) {
      RunResult result = begin(here).result().join();
      assertThat(result.failure().kind()).isEqualTo(Failure.Kind.UNKNOWN_OUTCOME);
      assertThat(steps.effects()).containsExactly("run-1/one", "run-1/two");
    }
  }
}
