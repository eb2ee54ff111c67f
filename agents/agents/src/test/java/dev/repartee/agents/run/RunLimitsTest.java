package dev.repartee.agents.run;

import static dev.repartee.agents.run.Fixture.result;
import static dev.repartee.agents.run.Fixture.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Human;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits of a run, and its end after errors of agents and of the journal. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunLimitsTest {
  private final CountDownLatch hanging = new CountDownLatch(1);

  private final Agent words = LocalAgent.named("words")
      .skill("echo", Task::input)
      .skill("fail", task -> {
        throw new IllegalStateException(task.input().as(String.class));
      })
      .skill("hang", task -> {
        hanging.countDown();
        Thread.sleep(Long.MAX_VALUE);
        return null;
      })
      .build();

  @AutoClose
  private final Fixture fixture = new Fixture(words);

  /** An agent that was written without care. */
  private record Careless(Supplier<@Nullable CompletableFuture<Json>> outputs) implements Agent {
    @Override
    public String name() {
      return "careless";
    }

    @Override
    public String description() {
      return "";
    }

    @Override
    public List<Skill> skills() {
      return List.of();
    }

    @Override
    @SuppressWarnings("NullAway") // the mistake that is tested
    public CompletableFuture<Json> run(Task task) {
      return outputs.get();
    }
  }

  private static Failure failure(Agent careless, String rules) throws Exception {
    try (Fixture one = new Fixture(careless)) {
      return one.run("- {name: a, agent: careless" + rules + "}", "").failure();
    }
  }

  @Test
  void anAgentThatReturnsNoFutureFailsItsStep() throws Exception {
    assertThat(failure(new Careless(() -> null), ""))
        .isEqualTo(new Failure(
            Failure.Kind.INTERNAL,
            "the step 'a' (agent careless) failed: the agent has returned null in place of a"
                + " future"));
  }

  @Test
  void anErrorOfAnAgentFailsItsStep() throws Exception {
    Agent broken = new Careless(() -> {
      throw new NoClassDefFoundError("a/Library");
    });
    assertThat(failure(broken, "").message()).contains("NoClassDefFoundError: a/Library");
  }

  @Test
  void anAgentWithAFutureThatCannotBeCancelledEndsInTime() throws Exception {
    FakeClock clock = new FakeClock();
    CountDownLatch called = new CountDownLatch(1);
    Agent stubborn = new Careless(() -> {
      called.countDown();
      return new CompletableFuture<>() {
        @Override
        public boolean cancel(boolean interrupt) {
          return false;
        }
      };
    });
    try (Fixture one = new Fixture(clock, Human.NOBODY, stubborn)) {
      Run run = one.start("- {name: a, agent: careless, timeout: 50ms}");
      assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofMillis(50));
      assertThat(result(run).failure().kind()).isEqualTo(Failure.Kind.TIMEOUT);
    }
  }

  @Test
  void anErrorOfTheJournalEndsTheRun() throws Exception {
    Journal broken = (run, plan, input) -> new Log(new ConcurrentLinkedQueue<>()) {
      @Override
      public void finished(String step, Journal.Entry entry) {
        throw new OutOfMemoryError("simulated");
      }
    };
    try (Fixture one = new Fixture(Human.NOBODY, broken, words)) {
      RunResult result = one.run("- {name: a, agent: words, skill: echo, onFailure: continue}", "");
      assertThat(result.failure().message()).contains("'a'", "OutOfMemoryError: simulated");
    }
  }

  // ---------------------------------------------------------------- waiting calls

  /** Waits for the end of a step without a permit, while another run holds the only one. */
  private RunResult late(String step, Queue<String> started) throws Exception {
    Orchestrator.Builder made = Orchestrator.builder(Team.of(words))
        .concurrentCalls(1)
        .journal((run, plan, input) -> new Log(started));
    try (Orchestrator busy = made.build()) {
      Run other = busy.request(Fixture.plan("- {name: other, agent: words, skill: hang}"))
          .start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      CountDownLatch late = new CountDownLatch(1);
      Run run = busy.request(Plan.parse("name: p\nbudget: {concurrency: 1}\nsteps:\n  - " + step
              + "\n  - {name: next, agent: words, skill: echo}"))
          .onEvent(event -> {
            if (event instanceof RunEvent.Changed changed
                && changed.step().id().equals("late")
                && changed.step().state() == StepState.FAILED) {
              late.countDown();
            }
          })
          .start();
      assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
      other.cancel();
      return result(run);
    }
  }

  @Test
  void aCallGivesItsPlaceToOtherRunsWhileAHumanHasItsQuestion() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Agent asking = LocalAgent.named("asking")
        .skill(
            "ask",
            task -> Json.of(
                task.ask("asking", "really?", null).toCompletableFuture().get().granted()))
        .build();
    Human human = question -> {
      asked.countDown();
      return answer;
    };
    Orchestrator.Builder made =
        Orchestrator.builder(Team.of(words, asking)).concurrentCalls(1).human(human);
    try (Orchestrator one = made.build()) {
      Run waiting =
          one.request(Fixture.plan("- {name: a, agent: asking, skill: ask}")).start();
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      String echo = "- {name: a, agent: words, skill: echo, input: yes}";
      assertThat(result(one.request(Fixture.plan(echo)).start()).failure()).isNull();

      Run hangs =
          one.request(Fixture.plan("- {name: a, agent: words, skill: hang}")).start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      answer.complete(Answer.agreed());
      assertThat(waiting.result()).isNotDone(); // the agent continues when there is a permit
      hangs.cancel();
      assertThat(result(waiting).output()).isEqualTo(Json.TRUE);
      assertThat(result(one.request(Fixture.plan(echo)).start()).failure()).isNull();
    }
  }

  @Test
  void aCallThatEndsWhileItWaitsForOtherRunsGivesItsPlaceBackAndIsNotCounted() throws Exception {
    Queue<String> started = new ConcurrentLinkedQueue<>();
    RunResult result = late(
        "{name: late, agent: words, skill: echo, deadline: 50ms, onFailure: continue}", started);
    assertThat(result.output()).isEqualTo(Json.EMPTY_OBJECT);
    assertThat(result.calls()).isEqualTo(1);
    assertThat(started).containsExactly("other", "next");
  }

  @Test
  void theInputOfACallIsMadeWhenTheCallMayStart() throws Exception {
    RunResult result = late(
        "{name: late, agent: words, skill: echo, input: \"${input.none}\", deadline: 50ms,"
            + " onFailure: continue}",
        new ConcurrentLinkedQueue<>());
    assertThat(step(result, "late").failure().kind()).isEqualTo(Failure.Kind.TIMEOUT);
  }

  // ---------------------------------------------------------------- the size of a run

  private RunResult limited(String budget, String steps) throws Exception {
    Plan plan = Plan.parse("name: p\nbudget: {" + budget + "}\nsteps:\n" + steps.indent(2));
    return result(fixture.orchestrator().request(plan).start());
  }

  @Test
  void theStepsOfMapsInsideEachOtherAreCounted() throws Exception {
    String steps = """
        - name: outer
          onFailure: continue
          map: [1, 2, 3]
          step: {map: [1, 2, 3], step: {agent: words, skill: echo}}
        """;
    assertThat(limited("steps: 13", steps).failure()).isNull();
    Failure failure = limited("steps: 12", steps).failure();
    assertThat(failure.kind()).isEqualTo(Failure.Kind.BUDGET);
    assertThat(failure.message()).contains("'outer[", "the budget of 12 steps is used up");
  }

  @Test
  void theOutputsAreCounted() throws Exception {
    String steps = """
        - sequence:
            - {name: a, agent: words, skill: echo, input: "12345678"}
            - {name: b, agent: words, skill: echo, input: "12345678", onFailure: continue}
        """;
    assertThat(limited("bytes: 20", steps).failure()).isNull();
    Failure failure = limited("bytes: 19", steps).failure();
    assertThat(failure.kind()).isEqualTo(Failure.Kind.BUDGET);
    assertThat(failure.message())
        .contains("'1/b'", "the budget of 19 bytes for outputs and errors is used up");
  }

  @Test
  void theErrorsAreCounted() throws Exception {
    Failure failure = limited("bytes: 500", """
        - map: [1, 2, 3, 4, 5, 6]
          concurrency: 1
          step: {agent: words, skill: fail, input: "%s", onFailure: continue}
        """.formatted("x".repeat(100))).failure();
    assertThat(failure.message()).contains("'1[4]'", "the budget of 500 bytes");
  }

  @Test
  void theCallsBeforeAnInterruptionAreCounted() throws Exception {
    Journal journal = Journal.inMemory();
    Plan plan = Plan.parse("""
        name: p
        budget: {calls: 3}
        steps:
          - {name: a, agent: words, skill: echo}
          - {name: b, agent: words, skill: hang, idempotent: true}
          - {name: c, agent: words, skill: echo}
        """);
    try (Fixture one = new Fixture(Human.NOBODY, journal, words)) {
      one.orchestrator().request(plan).id("r").start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
    }
    Agent quick = LocalAgent.named("words")
        .skill("hang", task -> 1)
        .skill("echo", Task::input)
        .build();
    try (Fixture two = new Fixture(Human.NOBODY, journal, quick)) {
      RunResult result = result(two.orchestrator().request(plan).id("r").start());
      assertThat(result.failure().message()).contains("'c'", "the budget of 3 calls is used up");
    }
  }

  @Test
  void eachRepetitionOfAnInterruptedCallIsCounted() throws Exception {
    Journal journal = Journal.inMemory();
    Plan plan = Plan.parse("""
        name: p
        budget: {calls: 2}
        steps: [{name: a, agent: words, skill: hang, idempotent: true, onFailure: continue}]
        """);
    for (int i = 0; i < 2; i++) {
      CountDownLatch begun = new CountDownLatch(1);
      Agent silent = LocalAgent.named("words")
          .skill("hang", task -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return null;
          })
          .build();
      try (Fixture each = new Fixture(Human.NOBODY, journal, silent)) {
        each.orchestrator().request(plan).id("r").start();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
      }
    }
    try (Fixture last = new Fixture(Human.NOBODY, journal, words)) {
      RunResult result = result(last.orchestrator().request(plan).id("r").start());
      assertThat(result.failure().message()).contains("'a'", "the budget of 2 calls is used up");
    }
  }

  /** Interrupts a run in the skill {@code hang}, and finishes it with an agent that does not hang. */
  private RunResult resumed(Plan plan) throws Exception {
    Journal journal = Journal.inMemory();
    CountDownLatch waiting = new CountDownLatch(1);
    Agent first = LocalAgent.named("words")
        .skill("echo", Task::input)
        .skill("fail", task -> {
          throw new IllegalStateException(task.input().toString());
        })
        .skill("wait", task -> {
          waiting.countDown();
          new CountDownLatch(1).await();
          return null;
        })
        .skill("overtake", task -> {
          waiting.await();
          return 1;
        })
        .skill("hang", task -> {
          hanging.countDown();
          new CountDownLatch(1).await();
          return null;
        })
        .build();
    try (Fixture one = new Fixture(Human.NOBODY, journal, first)) {
      one.orchestrator().request(plan).id("r").start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
    }
    Agent second = LocalAgent.named("words")
        .skill("echo", Task::input)
        .skill("fail", task -> {
          throw new IllegalStateException(task.input().toString());
        })
        .skill("hang", task -> 1)
        .build();
    try (Fixture two = new Fixture(Human.NOBODY, journal, second)) {
      return result(two.orchestrator().request(plan).id("r").start());
    }
  }

  @Test
  void theCallsInsideStepsThatWereCancelledOrHaveFailedAreCounted() throws Exception {
    RunResult result = resumed(Plan.parse("""
        name: p
        steps:
          - race:
              - {name: slow, sequence: [{agent: words, skill: echo}, {agent: words, skill: wait}]}
              - {name: fast, agent: words, skill: overtake}
          - name: each
            map: [1, 2]
            concurrency: 1
            onFailure: {value: [1, 2, 3]}
            step:
              sequence:
                - {name: a, agent: words, skill: echo}
                - {name: b, agent: words, skill: fail}
          - {agent: words, skill: hang, idempotent: true}
        """));

    assertThat(result.failure()).isNull();
    assertThat(result.calls()).isEqualTo(7); // 3 of the race, 2 of the map, and hang twice
    assertThat(result.steps())
        .extracting(StepReport::id)
        .filteredOn(id -> id.startsWith("each"))
        .containsExactly(
            "each", "each[0]", "each[0]/a", "each[0]/b", "each[1]", "each[1]/a", "each[1]/b");
    assertThat(step(result, "each[0]/b").restored()).isTrue();
  }

  @Test
  void theErrorsBeforeAnInterruptionAreCounted() throws Exception {
    RunResult result = resumed(Plan.parse("""
        name: p
        budget: {bytes: 300}
        steps:
          - {name: a, agent: words, skill: fail, input: "%1$s", onFailure: continue}
          - {name: b, agent: words, skill: hang, idempotent: true}
          - {name: c, agent: words, skill: fail, input: "%1$s", onFailure: continue}
        """.formatted("x".repeat(200))));
    assertThat(result.failure().message()).contains("'c'", "the budget of 300 bytes");
  }

  /** Keeps the ids of started steps. */
  private static class Log implements Journal.Log {
    private final Queue<String> started;

    Log(Queue<String> started) {
      this.started = started;
    }

    @Override
    public Map<String, Journal.Entry> entries() {
      return Map.of();
    }

    @Override
    public void started(String step, int attempt, Instant at) {
      started.add(step);
    }

    @Override
    public void finished(String step, Journal.Entry entry) {}

    @Override
    public void ended(@Nullable Json output, @Nullable Failure failure) {}
  }
}
