package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunResult;
import dev.repartee.internal.Clock;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs orchestrators in separate processes, and kills them. */
@Tag("ci")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT) // most tests wait for the engine to stop
class DurableRunsTest {
  private static final Json INPUT = Json.parse("{\"city\":\"Oslo\"}");

  private String database;
  private StepServer steps;

  @BeforeEach
  void prepare() throws Exception {
    database = TestDatabase.create();
    steps = new StepServer();
  }

  @AfterEach
  void close() throws IOException {
    steps.close();
  }

  /** A plan of five steps; the third one is idempotent or not. */
  private static Json plan(boolean idempotent) {
    return Plan.parse("""
            name: five
            agents: {worker: "exec:true"}
            steps:
              - {name: one, agent: worker, skill: report}
              - {name: two, agent: worker, skill: report}
              - {name: three, agent: worker, skill: report, idempotent: %s}
              - {name: four, agent: worker, skill: report}
              - {name: five, agent: worker, skill: report, input: "${steps.three.output}"}
            """.formatted(idempotent)).source();
  }

  private OrchestratorProcess worker(int concurrency) throws IOException {
    return OrchestratorProcess.start(database, steps.port(), concurrency);
  }

  /** Answers the first two steps of a run, and kills the process during the third one. */
  private void killInTheThirdStep(OrchestratorProcess process) throws Exception {
    steps.next().answer();
    steps.next().answer();
    StepServer.Effect third = steps.next();
    assertThat(third.step()).isEqualTo("run-1/three");
    assertThat(third.process()).isEqualTo(process.pid());
    process.kill();
  }

  @Test
  void anotherProcessFinishesARunWhoseProcessWasKilledAndRepeatsNoFinishedStep() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database);
        OrchestratorProcess first = worker(1)) {
      runs.submit("run-1", plan(true), INPUT);
      killInTheThirdStep(first);
      try (OrchestratorProcess second = worker(1)) {
        StepServer.Effect third = steps.next();
        assertThat(third.process()).isEqualTo(second.pid());
        third.answer();
        steps.answerAll();

        DurableRun run = runs.await("run-1");

        assertThat(run.state()).isEqualTo(DurableRun.State.SUCCEEDED);
        assertThat(run.output()).isEqualTo(Json.of(Map.of("by", second.pid())));
        assertThat(steps.effects())
            .containsExactly(
                "run-1/one", "run-1/two", "run-1/three", "run-1/three", "run-1/four", "run-1/five");
      }
    }
  }

  @Test
  void aStepThatIsNotIdempotentIsNotRepeatedAndAPersonDecidesAboutItsOutcome() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database);
        OrchestratorProcess first = worker(1)) {
      runs.submit("run-1", plan(false), INPUT);
      killInTheThirdStep(first);
      try (OrchestratorProcess second = worker(1)) {
        steps.answerAll();

        DurableRun run = runs.await("run-1");

        assertThat(second.isAlive()).isTrue();
        assertThat(run.state()).isEqualTo(DurableRun.State.FAILED);
        assertThat(run.failure().kind()).isEqualTo(Failure.Kind.UNKNOWN_OUTCOME);
        assertThat(run.failure().message()).contains("three");
        assertThat(steps.effects()).containsExactly("run-1/one", "run-1/two", "run-1/three");
        assertThatThrownBy(() -> runs.resolve("run-1", "run-2", Map.of("two", Resolution.repeat())))
            .hasMessage(
                "the outcome of the step two is known; the steps with unknown outcomes are [three]");

        Json found = Json.parse("\"sent at noon\"");
        runs.resolve("run-1", "run-2", Map.of("three", Resolution.done(found)));

        assertThat(runs.await("run-2").state()).isEqualTo(DurableRun.State.SUCCEEDED);
        assertThat(steps.effects().subList(3, 5)).containsExactly("run-2/four", "run-2/five");
        assertThat(steps.effects()).hasSize(5);
        assertThat(runs.steps("run-2").get("three").output()).isEqualTo(found);
      }
    }
  }

  @Test
  void processesShareTheRunsOfADatabase() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database);
        OrchestratorProcess first = worker(1);
        OrchestratorProcess second = worker(1)) {
      runs.submit("run-1", plan(false), INPUT);
      runs.submit("run-2", plan(false), INPUT);

      // Each process executes one run at a time, and neither first step is answered yet.
      StepServer.Effect one = steps.next();
      StepServer.Effect other = steps.next();

      assertThat(List.of(one.process(), other.process()))
          .containsExactlyInAnyOrder(first.pid(), second.pid());
      one.answer();
      other.answer();
      steps.answerAll();
      assertThat(runs.await("run-1").state()).isEqualTo(DurableRun.State.SUCCEEDED);
      assertThat(runs.await("run-2").state()).isEqualTo(DurableRun.State.SUCCEEDED);
      assertThat(steps.effects()).hasSize(10).doesNotHaveDuplicates();
    }
  }

  @Test
  void aRunThatIsStartedAgainUnderItsIdResumesWhenItsProcessIsDead() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database);
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build();
        OrchestratorProcess first = worker(1)) {
      runs.submit("run-1", plan(true), INPUT);
      steps.next().answer();
      steps.next().answer();
      steps.next();

      RunResult early = start(here, "run-1", plan(true));
      assertThat(early.failure().message()).contains("another orchestrator executes the run run-1");
      assertThat(runs.find("run-1").orElseThrow().state()).isEqualTo(DurableRun.State.RUNNING);

      first.kill();
      assertThat(eventualState(runs, "run-1")).isEqualTo(DurableRun.State.INTERRUPTED);
      steps.answerAll();
      RunResult result = start(here, "run-1", plan(true));

      assertThat(result.failure()).isNull();
      assertThat(result.steps().stream().filter(step -> step.restored())).hasSize(2);
      runs.await("run-1");
      assertThat(runs.list(10))
          .extracting(DurableRun::state)
          .containsExactly(DurableRun.State.SUCCEEDED);
      assertThat(start(here, "run-1", plan(true)).failure().message())
          .contains("the run run-1 has ended");
    }
  }

  /** The server notices the end of a killed process soon, but not immediately. */
  private static DurableRun.State eventualState(DurableRuns runs, String run) {
    DurableRun.State state = DurableRun.State.RUNNING;
    while (state == DurableRun.State.RUNNING) {
      state = runs.find(run).orElseThrow().state();
    }
    return state;
  }

  private static RunResult start(Orchestrator orchestrator, String run, Json plan) {
    return begin(orchestrator, run, plan).result().join();
  }

  private static Run begin(Orchestrator orchestrator, String run, Json plan) {
    return orchestrator
        .request(Plan.parse(plan.toString()))
        .id(run)
        .input(INPUT)
        .start();
  }

  @Test
  void aCancelledRunStopsInItsProcessAndIsNotResumed() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database);
        OrchestratorProcess first = worker(1)) {
      runs.submit("run-1", plan(false), INPUT);
      steps.next().answer();
      StepServer.Effect second = steps.next();

      runs.cancel("run-1");

      // The task of the agent is interrupted and closes its connection.
      assertThat(second.connection().getInputStream().read()).isEqualTo(-1);
      assertThatThrownBy(() -> runs.await("run-1")).hasMessage("the run run-1 was cancelled");
      assertThat(steps.effects()).containsExactly("run-1/one", "run-1/two");
      assertThat(first.pid()).isPositive();
    }
  }

  @Test
  void aJournalEntrySurvivesWithItsOutputAndFailure() throws Exception {
    Json plan = plan(true);
    Instant at = Instant.parse("2026-01-02T03:04:05.678Z");
    Journal.Entry nothing = new Journal.Entry(1, at, at, Json.NULL, null);
    Journal.Entry failed = new Journal.Entry(
        2, at, at, Json.parse("[1]"), new Failure(Failure.Kind.TIMEOUT, "no \"answer\"\0"));
    try (DurableRuns runs = DurableRuns.connect(database)) {
      Journal.Log log = runs.open("run-1", plan, INPUT);
      log.started("one", 1, at);
      log.finished("one", nothing);
      log.started("two", 1, at);
      log.started("two", 2, at.plusSeconds(1));
      log.finished("two", failed);
      log.started("three", 1, at);
    }
    try (DurableRuns runs = DurableRuns.connect(database)) {
      Journal.Log log = runs.open("run-1", plan, INPUT);
      assertThat(log.entries().get("one")).isEqualTo(nothing);
      assertThat(log.entries().get("two")).isEqualTo(failed);
      assertThat(log.entries()).containsOnlyKeys("one", "two", "three");
      assertThat(log.entries().get("three")).isEqualTo(new Journal.Entry(1, at, null, null, null));
      log.ended(Json.parse("{}"), null);
      assertThat(runs.await("run-1").output()).isEqualTo(Json.parse("{}"));
    }
  }

  @Test
  void aDatabaseThatCannotWriteIsReported() throws Exception {
    try (DurableRuns runs =
        DurableRuns.open(new Database(database, Duration.ofSeconds(10)), 0, null, Clock.SYSTEM)) {
      runs.submit("run-1", plan(true), INPUT);
      refuseWrites("42501"); // a privilege is missing
      assertThatThrownBy(() -> runs.submit("run-2", plan(true), INPUT))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageMatching(
              "cannot use the database postgresql://[^/]*/runs_[^:]*: ERROR: refused;"
                  + " Where: .*");
      refuseWrites("53100"); // the disk is full: the engine tries again and again
      assertThatThrownBy(() -> runs.cancel("run-1"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageMatching("the database postgresql://.* has not executed a statement within"
              + " 20 s; its log has the reason");
    }
  }

  private void refuseWrites(String state) throws Exception {
    TestDatabase.execute(database, """
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION USING MESSAGE = ''refused'', ERRCODE = ''%s''; END';
        CREATE OR REPLACE TRIGGER refuse BEFORE INSERT OR UPDATE ON repartee.workflow_status
          FOR EACH ROW EXECUTE FUNCTION refuse()
        """.formatted(state));
  }

  @Test
  void aRunFailsIfItsWorkerCannotStartThePlan() throws Exception {
    try (DurableRuns runs = DurableRuns.worker(database, 1, (run, journal) -> {
      throw new NoClassDefFoundError("absent");
    })) {
      runs.submit("run-1", plan(true), INPUT);

      assertThat(runs.await("run-1").failure())
          .isEqualTo(new Failure(Failure.Kind.INTERNAL, "the run cannot be started: absent"));
    }
  }

  @Test
  void aRunAndItsContinuationHaveTheTraceOfTheCallThatHasSubmittedIt() throws Exception {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    Span span = Span.wrap(SpanContext.create(
        trace, "00f067aa0ba902b7", TraceFlags.getSampled(), TraceState.getDefault()));
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (DurableRuns runs = DurableRuns.worker(database, 1, (run, journal) -> {
      seen.add(Span.current().getSpanContext().getTraceId());
      throw new IllegalStateException("it ends here");
    })) {
      try (Scope scope = span.makeCurrent()) {
        assertThat(scope).isNotNull();
        runs.submit("run-1", plan(true), INPUT);
      }
      assertThat(seen.poll(120, TimeUnit.SECONDS)).isEqualTo(trace);
      assertThat(runs.await("run-1").state()).isEqualTo(DurableRun.State.FAILED);
      runs.resolve("run-1", "run-2", Map.of());
      assertThat(seen.poll(120, TimeUnit.SECONDS)).isEqualTo(trace);
      assertThat(runs.await("run-2").state()).isEqualTo(DurableRun.State.FAILED);
    }
  }

  @Test
  void aRunIsNotStartedAgainWithAnotherPlanOrInput() throws Exception {
    try (DurableRuns runs = DurableRuns.connect(database)) {
      runs.open("run-1", plan(true), INPUT).started("one", 1, Instant.EPOCH);
      assertThatThrownBy(() -> runs.submit("run-1", plan(false), INPUT))
          .hasMessageContaining("the run run-1 was started with another plan");
    }
    try (DurableRuns runs = DurableRuns.connect(database)) {
      assertThatThrownBy(() -> runs.open("run-1", plan(false), INPUT))
          .hasMessage("the run run-1 was started with another plan; start it with the same one, or"
              + " choose another id");
      assertThatThrownBy(() -> runs.open("run-1", plan(true), Json.EMPTY_OBJECT))
          .hasMessageContaining("the run run-1 was started with another input");
      assertThat(runs.open("run-1", plan(true), INPUT).entries()).containsOnlyKeys("one");
    }
  }

  @Test
  void aRunThatThisProcessHasStartedEndsIfItIsCancelledElsewhere() throws Exception {
    FakeClock clock = new FakeClock();
    try (DurableRuns elsewhere = DurableRuns.connect(database);
        DurableRuns runs = DurableRuns.open(new Database(database), 0, null, clock);
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build()) {
      Run run = begin(here, "run-1", plan(false));
      StepServer.Effect first = steps.next();

      elsewhere.cancel("run-1");
      clock.advanceToTimer();

      assertLost(run, first, "it was cancelled");
      assertThat(runs.find("run-1").orElseThrow().state()).isEqualTo(DurableRun.State.CANCELLED);
    }
  }

  @Test
  void aRunThatThisProcessHasStartedEndsIfAnotherProcessTakesItOver() throws Exception {
    FakeClock clock = new FakeClock();
    try (DurableRuns runs = DurableRuns.open(new Database(database), 0, null, clock);
        Team team = OrchestratorProcess.team(steps.port());
        Orchestrator here = Orchestrator.builder(team).journal(runs).build()) {
      Run run = begin(here, "run-1", plan(false));
      StepServer.Effect first = steps.next();

      TestDatabase.execute(
          database, "UPDATE repartee.workflow_status SET executor_id = 'other:1:1'");
      clock.advanceToTimer();

      assertLost(run, first, "another process has taken it over");
    }
  }

  /** The task of the agent is interrupted and closes its connection. */
  private void assertLost(Run run, StepServer.Effect step, String reason) throws Exception {
    assertThat(step.connection().getInputStream().read()).isEqualTo(-1);
    RunResult result = run.result().join();
    assertThat(result.failure())
        .isEqualTo(new Failure(
            Failure.Kind.CANCELLED, "this process no longer executes the run: " + reason));
    assertThat(steps.effects()).containsExactly("run-1/one");
  }

  @Test
  void theErrorOfADatabaseThatIsNotThereNamesItWithoutThePassword() {
    assertThatThrownBy(() -> DurableRuns.connect("postgresql://me:secret@127.0.0.1:1/none"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:1/none")
        .hasMessageContaining("check that PostgreSQL runs")
        .hasMessageNotContaining("secret");
  }
}
