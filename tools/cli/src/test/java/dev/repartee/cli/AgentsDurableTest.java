package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands for durable runs, with workers in separate processes. */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT) // most tests wait for the engine to stop
class AgentsDurableTest {
  @TempDir
  Path folder;

  private String database;
  private Desk desk;
  private Path plan;

  @BeforeEach
  void prepare() throws Exception {
    database = TestDatabase.create();
    desk = new Desk();
    plan = Files.writeString(folder.resolve("plan.yaml"), """
        name: letters
        agents: {desk: "%s"}
        steps:
          - {name: write, agent: desk, skill: note, input: ["write ${input}"]}
          - {name: mail, agent: desk, skill: hold, input: [mail]}
          - {name: file, agent: desk, skill: note, input: ["file ${steps.mail.output}"]}
        """.formatted(desk.uri()));
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private String[] durable(String... words) {
    return Stream.of(Stream.of("agents"), Stream.of(words), Stream.of("--durable", database))
        .flatMap(each -> each)
        .toArray(String[]::new);
  }

  private Outcome run(String... words) {
    return Captured.run("", durable(words));
  }

  private Child worker() throws Exception {
    Child worker = Child.start(durable("worker", "--concurrency", "1"));
    assertThat(worker.errLine()).isEqualTo("taking runs, 1 at the same time");
    return worker;
  }

  private void submit(String run) {
    Outcome outcome = run("submit", plan.toString(), "--input", "to Ann", "--run", run);
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(outcome.out()).isEqualTo(run + "\n");
  }

  private Json account(String run) {
    Outcome outcome = run("runs", run, "--json");
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    return Json.parse(outcome.out());
  }

  @Test
  void workersShareRunsAndAPersonDecidesAboutAStepWhoseWorkerWasKilled() throws Exception {
    try (Child one = worker();
        Child two = worker()) {
      submit("friday");
      submit("monday");
      CompletableFuture<String> first = desk.next();
      CompletableFuture<String> second = desk.next(); // the step of the other worker
      assertThat(one.errLine()).startsWith("begin ").endsWith(" (letters)");
      assertThat(two.errLine()).startsWith("begin ").endsWith(" (letters)");
      assertThat(run("runs").out())
          .contains("RUN", "friday  letters  running", "monday  letters  running", "mail\n");

      one.process().destroyForcibly().waitFor();
      first.complete("mailed");
      second.complete("mailed");

      assertThat(two.errLine()).startsWith("succeeded ");
      assertThat(two.errLine()).startsWith("begin ");
      String lost = two.errLine();
      assertThat(lost).startsWith("failed ").contains("the step 'mail'", "outcome is unknown");
      String run = lost.contains("friday") ? "friday" : "monday";
      assertThat(run("runs", run).out()).contains("write  succeeded", "mail   unknown");

      assertThat(run("resume", run).err())
          .contains("has failed: the step 'mail'", "'repartee agents resolve " + run + "'");
      Outcome undecided = run("resolve", run);
      assertThat(undecided.exit()).isEqualTo(2);
      assertThat(undecided.err()).contains("the outcome of the step mail is unknown; add --done");
      Outcome decided = run("resolve", run, "--done", "mail=by hand");
      assertThat(decided.exit()).as(decided.err()).isZero();
      assertThat(decided.out()).isEqualTo(run + "-2\n");
      Outcome again = run("resolve", run, "--done", "mail=by hand");
      assertThat(again.exit()).isEqualTo(1);
      assertThat(again.err()).contains("the run " + run + " was resolved already as " + run + "-2");
      assertThat(two.errLine()).startsWith("begin " + run + "-2");
      assertThat(two.errLine()).startsWith("succeeded " + run + "-2 after ");
      assertThat(account(run + "-2").get("output")).isEqualTo(Json.of("noted file by hand"));
      assertThat(desk.effects())
          .containsExactlyInAnyOrder(
              "write to Ann", "write to Ann", "mail", "mail", "file mailed", "file by hand");

      two.terminate();
      assertThat(two.outcome().exit()).isZero();
    }
  }

  @Test
  void aRunIsCancelledWhereItRunsAndIsContinuedHere() throws Exception {
    Files.writeString(
        plan, Files.readString(plan).replace("input: [mail]", "input: [mail], idempotent: true"));
    try (Child here = Child.start(
        durable("run", plan.toString(), "--run", "friday", "--input", "to Ann", "--quiet"))) {
      desk.next();
      assertThat(run("resume", "friday").err()).contains("another orchestrator executes the run");

      assertThat(run("cancel", "friday").exit()).isZero();

      Outcome cancelled = here.outcome();
      assertThat(cancelled.exit()).isEqualTo(4);
      assertThat(cancelled.err()).contains("no longer executes the run: it was cancelled");
    }
    assertThat(account("friday").get("state")).isEqualTo(Json.of("cancelled"));
    try (Child again = Child.start(durable("resume", "friday"))) {
      desk.next().complete("mailed");
      Outcome resumed = again.outcome();
      assertThat(resumed.exit()).as(resumed.err()).isZero();
      assertThat(resumed.out()).isEqualTo("\"noted file mailed\"\n");
      assertThat(resumed.err()).contains("succeeded write (desk note)", "from the journal");
    }
    Outcome repeated = run("run", plan.toString(), "--run", "friday", "--input", "to Ann");
    assertThat(repeated)
        .isEqualTo(new Outcome(
            0, "\"noted file mailed\"\n", "repartee: the run 'friday' has succeeded before\n"));
    assertThat(run("resume", "friday").err()).contains("'repartee agents runs friday --json'");
    Outcome ended = run("cancel", "friday");
    assertThat(ended.exit()).isEqualTo(1);
    assertThat(ended.err()).contains("the run 'friday' has succeeded already");
    assertThat(run("resolve", "friday", "--repeat", "mail").err())
        .contains("the run 'friday' has succeeded; only a failed run is resolved");
    assertThat(desk.effects()).containsExactly("write to Ann", "mail", "mail", "file mailed");
  }

  @Test
  void theTimeLimitOfTheCommandInterruptsADurableRunThatCanBeContinued() throws Exception {
    Files.writeString(
        plan, Files.readString(plan).replace("input: [mail]", "input: [mail], idempotent: true"));
    // The time limit always passes, because a step that has begun waits for this test.
    Outcome outcome =
        run("run", plan.toString(), "--run", "friday", "--input", "to Ann", "--timeout", "2s");

    assertThat(outcome.exit()).isEqualTo(4);
    assertThat(outcome.err())
        .contains(
            "has not ended within 2000 ms and is interrupted; 'repartee agents resume friday'");
    assertThat(account("friday").get("state")).isEqualTo(Json.of("interrupted"));
    Outcome other = run("run", plan.toString(), "--run", "friday", "--input", "to Bob");
    assertThat(other.exit()).isEqualTo(1);
    assertThat(other.err())
        .contains("the journal cannot open the run: the run friday was started with another input");
    while (!desk.effects().contains("mail")) { // the machine was too slow
      run("resume", "friday", "--timeout", "2s");
    }
    CompletableFuture<String> first = desk.next();
    try (Child again = Child.start(durable("resume", "friday"))) {
      while (!again.errLine().startsWith("begin mail")) {
        // Skips earlier lines.
      }
      first.complete("too late");
      desk.next().complete("mailed");
      assertThat(again.outcome().out()).isEqualTo("\"noted file mailed\"\n");
    }
  }

  @Test
  void aDatabaseThatFailsDuringACommandIsNamedInOneLine() throws Exception {
    submit("friday");
    TestDatabase.execute(database, "ALTER TABLE repartee.workflow_status RENAME TO gone");
    for (String[] command : new String[][] {
      {"runs"},
      {"resume", "friday"},
      {"cancel", "friday"},
      {"resolve", "friday"},
      {"submit", plan.toString()}
    }) {
      Outcome outcome = run(command);
      assertThat(outcome.exit()).as(command[0]).isEqualTo(3);
      assertThat(outcome.out()).isEmpty();
      assertThat(outcome.err())
          .as(command[0])
          .startsWith("repartee: --durable: cannot use the database postgresql://127.0.0.1:")
          .contains("relation \"repartee.workflow_status\" does not exist")
          .doesNotContain("Exception")
          .hasLineCount(1);
    }
  }

  @Test
  void twoDecisionsAboutAStepAreRefused() {
    Outcome outcome = run("resolve", "friday", "--done", "mail=sent", "--repeat", "mail");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("there are two decisions about the step 'mail'; give one");
  }

  @Test
  void anUnknownRunAndAMissingDatabaseAreNamedWithTheRemedy() {
    for (String command : new String[] {"resume", "cancel", "resolve", "runs"}) {
      Outcome outcome = run(command, "nobody");
      assertThat(outcome.exit()).as(command).isEqualTo(2);
      assertThat(outcome.err())
          .contains("there is no run 'nobody' in the database; 'repartee agents runs' lists them");
    }
    assertThat(run("runs").out()).isEmpty();
    assertThat(Captured.run("", "agents", "worker").exit()).isEqualTo(2);
    Outcome absent = Captured.run(
        "", "agents", "worker", "--durable", "postgresql://me:secret@127.0.0.1:1/runs");
    assertThat(absent.exit()).isEqualTo(3);
    assertThat(absent.err()).contains("127.0.0.1:1/runs", "check that").doesNotContain("secret");
    Outcome port = Captured.run(
        "", "agents", "runs", "--durable", "postgresql://me:secret@127.0.0.1:99999/runs");
    assertThat(port.exit()).isEqualTo(2);
    assertThat(port.err())
        .contains("a port is a number from 1 to 65535")
        .doesNotContain("secret", "\tat ");
  }
}
