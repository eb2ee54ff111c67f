package dev.repartee.agents.run;

import static dev.repartee.agents.run.Fixture.result;
import static dev.repartee.agents.run.Fixture.states;
import static dev.repartee.agents.run.Fixture.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Human;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.json.Json;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that are interrupted and started again with the same journal. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResumeTest {
  private final Journal journal = Journal.inMemory();
  private final Queue<String> done = new ConcurrentLinkedQueue<>();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private volatile boolean hangs = true;

  private Agent agent() {
    return LocalAgent.named("one")
        .skill("do", task -> {
          done.add(task.id());
          return task.input();
        })
        .skill("hang", task -> {
          done.add(task.id());
          if (hangs) {
            hanging.countDown();
            new CountDownLatch(1).await();
          }
          return "went on";
        })
        .build();
  }

  private RunResult interruptedAndResumed(String steps) throws Exception {
    try (Fixture first = new Fixture(Human.NOBODY, journal, agent())) {
      first.request(steps).id("run").start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
    }
    hangs = false;
    try (Fixture second = new Fixture(Human.NOBODY, journal, agent())) {
      return result(second.request(steps).id("run").start());
    }
  }

  @Test
  void finishedStepsAreNotRepeated() throws Exception {
    RunResult result = interruptedAndResumed("""
        - {name: a, agent: one, skill: do, input: 1}
        - name: both
          parallel:
            - {name: b, agent: one, skill: do, input: 2}
            - {name: each, map: [1, 2], step: {agent: one, skill: do, input: "${item}"}}
        - {name: c, agent: one, skill: hang, idempotent: true}
        - {name: d, agent: one, skill: do, input: ["${steps.b.output}", "${steps.each.output}"]}
        """);

    assertThat(result.output()).isEqualTo(Json.parse("[2,[1,2]]"));
    assertThat(done)
        .containsExactlyInAnyOrder(
            "run/a",
            "run/both/b",
            "run/both/each[0]",
            "run/both/each[1]",
            "run/c",
            "run/c",
            "run/d");
    assertThat(step(result, "both/each[1]").restored()).isTrue();
    assertThat(step(result, "d").restored()).isFalse();
    assertThat(step(result, "c").attempts()).isEqualTo(2);
  }

  @Test
  void aStepThatMayHaveTakenEffectIsNeverRepeated() throws Exception {
    RunResult result = interruptedAndResumed("""
        - {name: a, agent: one, skill: hang}
        - {name: b, agent: one, skill: do}
        """);

    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.UNKNOWN_OUTCOME);
    assertThat(result.failure().message()).contains("'a'", "outcome is unknown", "not repeated");
    assertThat(states(result))
        .containsEntry("a", StepState.UNKNOWN)
        .containsEntry("b", StepState.SKIPPED);
    assertThat(done).containsExactly("run/a");
  }

  @Test
  void thePlanMayGoOnAfterAnUnknownOutcome() throws Exception {
    RunResult result = interruptedAndResumed("""
        - {name: a, agent: one, skill: hang, onFailure: {value: perhaps}}
        - {name: b, agent: one, skill: do, input: "${steps.a.output}"}
        """);
    assertThat(result.output()).isEqualTo(Json.of("perhaps"));
    assertThat(done).containsExactly("run/a", "run/b");
  }

  @Test
  void aRunThatHasEndedIsForgotten() throws Exception {
    try (Fixture fixture = new Fixture(Human.NOBODY, journal, agent())) {
      String steps = "- {name: a, agent: one, skill: do}";
      result(fixture.request(steps).id("run").start());
      result(fixture.request(steps).id("run").start());
      assertThat(done).containsExactly("run/a", "run/a");
    }
  }

  @Test
  void aRunIsNotStartedTwiceAtTheSameTime() throws Exception {
    try (Fixture fixture = new Fixture(Human.NOBODY, journal, agent())) {
      String steps = "- {name: a, agent: one, skill: hang}";
      fixture.request(steps).id("run").start();
      assertThatThrownBy(() -> fixture.request(steps).id("run").start())
          .hasMessage("the run 'run' is running already");
    }
  }

  @Test
  void aRunIsNotExecutedByTwoOrchestratorsAtTheSameTime() throws Exception {
    String steps = "- {name: a, agent: one, skill: hang, idempotent: true}";
    try (Fixture first = new Fixture(Human.NOBODY, journal, agent());
        Fixture second = new Fixture(Human.NOBODY, journal, agent())) {
      first.request(steps).id("run").start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      RunResult refused = result(second.request(steps).id("run").start());
      assertThat(refused.failure().kind()).isEqualTo(Failure.Kind.JOURNAL);
      assertThat(refused.failure().message())
          .contains("another orchestrator executes the run 'run'");

      first.orchestrator().close();
      hangs = false;
      assertThat(result(second.request(steps).id("run").start()).output())
          .isEqualTo(Json.of("went on"));
    }
    assertThat(done).containsExactly("run/a", "run/a");
  }

  @Test
  void aStepThatCannotBeRecordedDoesNotRun() throws Exception {
    Journal full = (run, plan, input) -> new Journal.Log() {
      @Override
      public Map<String, Journal.Entry> entries() {
        return Map.of();
      }

      @Override
      public void started(String step, int attempt, java.time.Instant at) {
        throw new IllegalStateException("the disk is full");
      }

      @Override
      public void finished(String step, Journal.Entry entry) {}

      @Override
      public void ended(Json output, Failure failure) {}
    };
    try (Fixture fixture = new Fixture(Human.NOBODY, full, agent())) {
      RunResult result = fixture.run("- {name: a, agent: one, skill: do, onFailure: continue}", "");
      assertThat(result.failure().kind()).isEqualTo(Failure.Kind.JOURNAL);
      assertThat(result.failure().message()).contains("the disk is full");
      assertThat(done).isEmpty();
    }
  }
}
