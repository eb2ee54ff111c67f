package dev.repartee.agents.run;

import static dev.repartee.agents.run.Fixture.result;
import static dev.repartee.agents.run.Fixture.states;
import static dev.repartee.agents.run.Fixture.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Human;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every kind of step, with agents in this process. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StepsTest {
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final AtomicInteger attempts = new AtomicInteger();

  private final Agent words = LocalAgent.named("words")
      .skill("upper", task -> task.input().get("text").as(String.class).toUpperCase())
      .skill("join", Task::input)
      .skill("fail", task -> {
        attempts.incrementAndGet();
        throw new IllegalStateException("no words");
      })
      .skill("flaky", task -> {
        if (attempts.incrementAndGet() < 3) {
          throw new AgentException(Failure.Kind.ERROR, "not yet");
        }
        return "at last";
      })
      .skill("hang", task -> {
        hanging.countDown();
        try {
          Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
          interrupted.countDown();
          throw e;
        }
        return null;
      })
      .build();

  private final Agent asking = new AskingAgent(true);

  @AutoClose
  private final Fixture fixture = new Fixture(words, asking);

  /** Asks for a permission before it answers, and may answer without the permission, too. */
  private record AskingAgent(boolean needsPermission) implements Agent {
    @Override
    public String name() {
      return "asking";
    }

    @Override
    public String description() {
      return "";
    }

    @Override
    public List<dev.repartee.agents.Skill> skills() {
      return List.of();
    }

    @Override
    public CompletableFuture<Json> run(Task task) {
      return task.ask("asking", "May I?", null)
          .thenApply(answer -> {
            if (needsPermission && !answer.granted()) {
              throw new AgentException(Failure.Kind.ERROR, "I may not");
            }
            return Json.of("done");
          })
          .toCompletableFuture();
    }
  }

  @Test
  void aSequencePassesOutputsOn() throws Exception {
    RunResult result = fixture.run("""
        - {name: a, agent: words, skill: upper, input: {text: "${input.text}"}}
        - {name: b, skill: join, input: ["${steps.a.output}", "<${steps.a.output}>"]}
        """, Map.of("text", "abc"));

    assertThat(result.failure()).isNull();
    assertThat(result.output()).isEqualTo(Json.of(List.of("ABC", "<ABC>")));
    assertThat(states(result))
        .containsOnly(entry("a", StepState.SUCCEEDED), entry("b", StepState.SUCCEEDED));
    assertThat(step(result, "b").agent()).isEqualTo("words");
    assertThat(step(result, "b").started()).isAfterOrEqualTo(step(result, "a").ended());
    assertThat(result.calls()).isEqualTo(2);
  }

  @Test
  void aFailedStepFailsTheRunAndIsNamed() throws Exception {
    RunResult result = fixture.run("""
        - name: outer
          sequence:
            - {name: bad, agent: words, skill: fail}
            - {name: next, agent: words, skill: join}
        - {name: last, agent: words, skill: join}
        """, "");

    assertThat(result.failure())
        .isEqualTo(new Failure(
            Failure.Kind.INTERNAL,
            "the step 'outer/bad' (agent words, skill fail) failed: IllegalStateException: no"
                + " words"));
    assertThat(result.step()).isEqualTo("outer/bad");
    assertThat(states(result))
        .containsOnly(
            entry("outer", StepState.FAILED),
            entry("outer/bad", StepState.FAILED),
            entry("outer/next", StepState.SKIPPED),
            entry("last", StepState.SKIPPED));
    assertThat(attempts).hasValue(1);
  }

  @Test
  void aRunGoesOnAfterAFailureIfThePlanSaysSo() throws Exception {
    RunResult result = fixture.run("""
        - {name: a, agent: words, skill: fail, onFailure: continue}
        - {name: b, agent: words, skill: fail, onFailure: {value: 7}}
        - {name: c, agent: words, skill: join, input: ["${steps.a.output}", "${steps.b.output}"]}
        """, "");

    assertThat(result.output()).isEqualTo(Json.parse("[null,7]"));
    assertThat(step(result, "a").state()).isEqualTo(StepState.FAILED);
    assertThat(step(result, "a").failure().message()).contains("no words");
  }

  @Test
  void parallelBranchesGiveAnObject() throws Exception {
    RunResult result = fixture.run("""
        - parallel:
            - {name: x, agent: words, skill: join, input: 1}
            - {name: y, agent: words, skill: fail, onFailure: continue}
            - {name: z, agent: words, skill: join, input: 3}
        """, "");
    assertThat(result.output()).isEqualTo(Json.parse("{\"x\":1,\"y\":null,\"z\":3}"));
  }

  @Test
  void aFailedBranchCancelsTheOthers() throws Exception {
    RunResult result = fixture.run("""
        - parallel:
            - {name: bad, agent: words, skill: fail}
            - {name: hang, agent: words, skill: hang}
        """, "");

    assertThat(result.step()).isEqualTo("1/bad");
    assertThat(step(result, "1/hang").state()).isIn(StepState.CANCELLED, StepState.SKIPPED);
    if (hanging.getCount() == 0) {
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theFirstBranchOfARaceWinsAndTheOthersAreCancelled() throws Exception {
    Agent fast = LocalAgent.named("fast")
        .skill("go", task -> {
          hanging.await();
          return "first";
        })
        .build();
    try (Fixture race = new Fixture(words, fast)) {
      RunResult result = race.run("""
          - race:
              - {name: bad, agent: words, skill: fail}
              - {name: hang, agent: words, skill: hang}
              - {name: fast, agent: fast}
          """, "");

      assertThat(result.output()).isEqualTo(Json.of("first"));
      assertThat(states(result))
          .containsEntry("1/fast", StepState.SUCCEEDED)
          .containsEntry("1/hang", StepState.CANCELLED);
      assertThat(step(result, "1/hang").failure().message())
          .isEqualTo("cancelled, because the step '1/fast' was first");
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aRaceWithoutAWinnerFailsWithAllReasons() throws Exception {
    RunResult result = fixture.run("""
        - race:
            - {name: a, agent: words, skill: fail}
            - {name: b, agent: words, skill: nothing}
        """, "");
    assertThat(result.failure().message())
        .contains("no branch succeeded", "no words", "has no skill 'nothing'");
  }

  @Test
  void aCallWithoutASkillFailsWithTheSkillsOfItsAgent() throws Exception {
    RunResult result = fixture.run("- {name: a, agent: words}", "");
    assertThat(result.failure().message())
        .contains("names no skill, and the agent 'words' has several: upper, join, fail, flaky");
  }

  @Test
  void aTimeLimitMayExceedTheRangeOfTheClock() throws Exception {
    RunResult result = fixture.run("""
        - name: a
          agent: words
          skill: upper
          input: {text: a}
          deadline: 999999999h
          timeout: 999999998h
        """, "");
    assertThat(result.output()).isEqualTo(Json.of("A"));
  }

  @Test
  void aMapRunsItsStepForEachElement() throws Exception {
    RunResult result = fixture.run("""
        - name: each
          map: ${input}
          concurrency: 2
          step:
            sequence:
              - {name: up, agent: words, skill: upper, input: {text: "${item}"}}
              - {agent: words, skill: join, input: ["${index}", "${steps.up.output}"]}
        """, List.of("a", "b", "c"));

    assertThat(result.output()).isEqualTo(Json.parse("[[0,\"A\"],[1,\"B\"],[2,\"C\"]]"));
    assertThat(states(result)).hasSize(1 + 3 * 3).containsEntry("each[2]/up", StepState.SUCCEEDED);
  }

  @Test
  void anEmptyMapHasAnEmptyOutput() throws Exception {
    assertThat(fixture.run("- {map: [], step: {agent: words, skill: join}}", "").output())
        .isEqualTo(Json.EMPTY_ARRAY);
  }

  @Test
  void aFailedElementCancelsTheOthersAndLeavesTheRestOut() throws Exception {
    RunResult result = fixture.run("""
        - name: each
          map: [1, 2, 3]
          concurrency: 1
          step: {agent: words, skill: fail}
        """, "");
    assertThat(result.step()).isEqualTo("each[0]");
    assertThat(states(result))
        .containsEntry("each[1]", StepState.SKIPPED)
        .containsEntry("each[2]", StepState.SKIPPED);
  }

  @Test
  void aMapOfSomethingElseFailsAsInput() throws Exception {
    RunResult result =
        fixture.run("- {map: \"${input}\", step: {agent: words, skill: join}}", "text");
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.INPUT);
    assertThat(result.failure().message()).contains("has to be an array, not a string");
  }

  @Test
  void aStepWithADeadlineEndsInTimeAndItsAgentIsCancelled() throws Exception {
    do { // on a busy machine the deadline may pass before the call
      RunResult result = fixture.run("- {name: a, agent: words, skill: hang, deadline: 100ms}", "");
      assertThat(result.failure().kind()).isEqualTo(Failure.Kind.TIMEOUT);
      assertThat(result.failure().message()).contains("deadline of 100 ms");
    } while (hanging.getCount() > 0);
    assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theDeadlineOfAGroupCancelsItsSteps() throws Exception {
    RunResult result;
    do { // on a busy machine the deadline may pass before the call
      result = fixture.run("""
          - name: group
            deadline: 100ms
            onFailure: {value: late}
            parallel:
              - {name: a, agent: words, skill: hang}
              - {name: b, agent: words, skill: join}
          """, "");
      assertThat(result.output()).isEqualTo(Json.of("late"));
    } while (hanging.getCount() > 0);
    assertThat(states(result))
        .containsEntry("group", StepState.FAILED)
        .containsEntry("group/a", StepState.CANCELLED);
  }

  @Test
  void anIdempotentStepIsRepeatedAfterAPause() throws Exception {
    RunResult result = fixture.run("""
        - {name: a, agent: words, skill: flaky, idempotent: true, retries: 2, backoff: 1ms}
        """, "");
    assertThat(result.output()).isEqualTo(Json.of("at last"));
    assertThat(step(result, "a").attempts()).isEqualTo(3);
    assertThat(result.calls()).isEqualTo(3);
  }

  @Test
  void anAttemptWithATimeLimitIsCancelledAndRepeated() throws Exception {
    FakeClock clock = new FakeClock();
    CountDownLatch begun = new CountDownLatch(1);
    Agent slow = LocalAgent.named("slow")
        .skill("go", task -> {
          if (attempts.incrementAndGet() == 1) {
            begun.countDown();
            new CountDownLatch(1).await();
          }
          return "second";
        })
        .build();
    try (Fixture one = new Fixture(clock, Human.NOBODY, slow)) {
      Run run = one.start(
          "- {name: a, agent: slow, idempotent: true, retries: 1, backoff: 1h, timeout: 1s}");
      assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofSeconds(1));
      clock.advanceToTimer(); // the pause
      RunResult result = result(run);
      assertThat(result.output()).isEqualTo(Json.of("second"));
    }
  }

  @Test
  void theBudgetOfCallsEndsTheRunWhateverTheStepsSay() throws Exception {
    Plan plan = Plan.parse("""
        name: p
        budget: {calls: 2}
        steps:
          - name: each
            map: [1, 2, 3]
            concurrency: 1
            onFailure: continue
            step: {agent: words, skill: join, onFailure: continue}
        """);
    RunResult result = result(fixture.orchestrator().request(plan).start());
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.BUDGET);
    assertThat(result.failure().message()).contains("each[2]", "budget of 2 calls");
    assertThat(result.calls()).isEqualTo(2);
  }

  @Test
  void theBudgetOfTimeEndsTheRun() throws Exception {
    Plan plan = Plan.parse("""
        name: p
        budget: {time: 100ms}
        steps: [{agent: words, skill: hang, onFailure: continue}]
        """);
    do { // on a busy machine the time may pass before the call
      RunResult result = result(fixture.orchestrator().request(plan).start());
      assertThat(result.failure().kind()).isEqualTo(Failure.Kind.BUDGET);
    } while (hanging.getCount() > 0);
    assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void noMoreCallsRunAtTheSameTimeThanTheBudgetAllows() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Agent counting = LocalAgent.named("counting")
        .skill("go", task -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          Thread.sleep(1);
          running.decrementAndGet();
          return 1;
        })
        .build();
    Plan plan = Plan.parse("""
        name: p
        budget: {concurrency: 3}
        steps:
          - map: "${input}"
            concurrency: 50
            step: {agent: counting}
        """);
    try (Fixture one = new Fixture(counting)) {
      RunResult result = result(one.orchestrator()
          .request(plan)
          .input(Json.of(java.util.Collections.nCopies(100, 0)))
          .start());
      assertThat(result.failure()).isNull();
      assertThat(most.get()).isBetween(1, 3);
    }
  }

  @Test
  void cancellingARunCancelsItsAgents() throws Exception {
    Run run = fixture
        .request("- {name: a, agent: words, skill: hang}\n- {agent: words}")
        .start();
    assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
    run.cancel();
    RunResult result = result(run);
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.CANCELLED);
    assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(states(result))
        .containsOnly(entry("a", StepState.CANCELLED), entry("2", StepState.SKIPPED));
  }

  @Test
  void anApprovalNeedsAHuman() throws Exception {
    RunResult result = fixture.run("- {name: ok, approval: \"Delete ${input}?\"}", "all");
    assertThat(result.failure())
        .isEqualTo(new Failure(
            Failure.Kind.REFUSED,
            "the step 'ok' failed: 'Delete all?' was refused: nobody is there to answer"));

    try (Fixture watched =
        new Fixture(question -> CompletableFuture.completedFuture(Answer.agreed()), words)) {
      assertThat(watched.run("- approval: Go on?", "").output())
          .isEqualTo(Json.parse("{\"granted\":true}"));
    }
  }

  @Test
  void aHumanWhoNeverAnswersIsNotAwaitedBeyondTheDeadline() throws Exception {
    CompletableFuture<Answer> asked = new CompletableFuture<>();
    CountDownLatch questions = new CountDownLatch(1);
    Human human = question -> {
      questions.countDown();
      return asked;
    };
    try (Fixture watched = new Fixture(human, words)) {
      do { // on a busy machine the deadline may pass before the question
        RunResult result = watched.run("- {name: ok, approval: Sure?, deadline: 100ms}", "");
        assertThat(result.failure().kind()).isEqualTo(Failure.Kind.TIMEOUT);
      } while (questions.getCount() > 0);
      assertThatThrownBy(() -> asked.get(60, TimeUnit.SECONDS))
          .isInstanceOf(CancellationException.class);
    }
  }

  @Test
  void aQuestionIsWithdrawnWhenItsTaskEndsWithoutTheAnswer() throws Exception {
    CompletableFuture<Answer> asked = new CompletableFuture<>();
    CountDownLatch shown = new CountDownLatch(1);
    Agent hasty = LocalAgent.named("hasty")
        .skill("ask", task -> {
          task.ask("hasty", "May I?", null);
          shown.await();
          return "done";
        })
        .build();
    Human human = question -> {
      shown.countDown();
      return asked;
    };
    try (Fixture watched = new Fixture(human, hasty)) {
      RunResult result = watched.run("- {agent: hasty, skill: ask}", "");
      assertThat(result.output()).isEqualTo(Json.of("done"));
      assertThatThrownBy(() -> asked.get(60, TimeUnit.SECONDS))
          .isInstanceOf(CancellationException.class);
    }
  }

  @Test
  void anOpenQuestionDoesNotHideTheTimeoutOfItsAttempt() throws Exception {
    Agent patient = LocalAgent.named("patient")
        .skill(
            "ask",
            task -> task.ask("patient", "May I?", null).toCompletableFuture().get())
        .build();
    assertThat(failureOfAQuestion(patient, "- {agent: patient, skill: ask, timeout: 100ms}")
            .kind())
        .isEqualTo(Failure.Kind.TIMEOUT);
  }

  @Test
  void anOutputBecauseOfAWithdrawnQuestionDoesNotHideTheTimeoutOfItsAttempt() throws Exception {
    Failure failure =
        failureOfAQuestion(new AskingAgent(false), "- {agent: asking, skill: x, timeout: 100ms}");
    assertThat(failure).isNotNull();
    assertThat(failure.kind()).isEqualTo(Failure.Kind.TIMEOUT);
  }

  /** Runs a step that asks a question, and lets 100 ms pass while the question is open. */
  private static @Nullable Failure failureOfAQuestion(Agent agent, String step) throws Exception {
    FakeClock clock = new FakeClock();
    CountDownLatch asked = new CountDownLatch(1);
    Human silent = question -> {
      asked.countDown();
      return new CompletableFuture<>();
    };
    try (Fixture watched = new Fixture(clock, silent, agent)) {
      Run run = watched.start(step);
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofMillis(100));
      return result(run).failure();
    }
  }

  @Test
  void aTaskHasAtMostAHundredOpenQuestions() throws Exception {
    Agent curious = LocalAgent.named("curious")
        .skill("ask", task -> {
          for (int i = 0; i < 100; i++) {
            task.ask("curious", "May I?", null);
          }
          return task.ask("curious", "May I?", null).toCompletableFuture().get().reason();
        })
        .build();
    Human silent = question -> new CompletableFuture<>();
    try (Fixture watched = new Fixture(silent, curious)) {
      RunResult result = watched.run("- {agent: curious, skill: ask}", "");
      assertThat(result.output())
          .isEqualTo(Json.of("100 questions of this task are open; wait for an answer first"));
    }
  }

  @Test
  void aPermissionThatNobodyGrantsIsTheReasonOfTheFailure() throws Exception {
    RunResult result = fixture.run("- {name: a, agent: asking, skill: x}", "");
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.REFUSED);
    assertThat(result.failure().message())
        .contains("I may not", "its question 'May I?' was refused: nobody is there to answer");
  }

  @Test
  void anOutputThatDoesNotFitItsSchemaFails() throws Exception {
    RunResult result = fixture.run("""
        - {name: a, agent: words, skill: join, input: text, outputSchema: {type: number}}
        """, "");
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.SCHEMA);
    assertThat(result.failure().message())
        .contains("the output of 'words' does not fit its schema");
  }

  @Test
  void anInputThatDoesNotFitThePlanRunsNoStep() throws Exception {
    Plan plan = Plan.parse("""
        {"name":"p","input":{"type":"object"},"steps":[{"agent":"words","skill":"join"}]}""");
    RunResult result =
        result(fixture.orchestrator().request(plan).input(Json.of("text")).start());
    assertThat(result.failure().kind()).isEqualTo(Failure.Kind.INPUT);
    assertThat(result.calls()).isZero();
  }

  @Test
  void anAbsentAgentFailsItsStepOnly() throws Exception {
    Team team = new Team(
        List.of(words),
        Map.of("gone", new Failure(Failure.Kind.UNREACHABLE, "connection refused")));
    try (Orchestrator orchestrator = Orchestrator.of(team)) {
      RunResult result = result(orchestrator.request(Fixture.plan("""
              - {name: a, agent: gone, skill: x, onFailure: continue}
              - {name: b, agent: words, skill: join, input: 1}
              """)).start());
      assertThat(result.output()).isEqualTo(Json.of(1));
      assertThat(step(result, "a").failure())
          .isEqualTo(new Failure(
              Failure.Kind.UNREACHABLE, "the agent 'gone' cannot be used: connection refused"));
      assertThatThrownBy(
              () -> orchestrator.request(Fixture.plan("- agent: nobody")).start())
          .hasMessageContaining("'nobody', which is not in the team: [words]");
    }
  }

  @Test
  void aPlanIsAnAgentOfAnotherPlan() throws Exception {
    Plan inner = Plan.parse("""
        {"name":"shout","steps":[
          {"agent":"words","skill":"upper","input":{"text":"${input.text}!"}}]}""");
    try (Fixture outer = new Fixture(fixture.orchestrator().agent(inner))) {
      assertThat(outer.run("- {skill: shout, input: {text: hey}}", "").output())
          .isEqualTo(Json.of("HEY!"));
    }
  }

  @Test
  void aPlanThatIsAnAgentReportsAllProgressBeforeItsOutput() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    ConcurrentLinkedQueue<String> reports = new ConcurrentLinkedQueue<>();
    Agent plan = fixture
        .orchestrator()
        .agent(Fixture.plan("- {name: a, agent: words, skill: join, input: 1}"));
    CompletableFuture<Json> output =
        plan.run(Task.of("test", Json.EMPTY_OBJECT).withProgress(report -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          reports.add(report.toString());
        }));
    while (!fixture.orchestrator().runs().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(output).isNotDone();
    go.countDown();
    assertThat(output.get(60, TimeUnit.SECONDS)).isEqualTo(Json.of(1));
    assertThat(reports).contains("a: running", "a: succeeded");
  }

  @Test
  void cancellingAPlanCancelsThePlansInside() throws Exception {
    Plan inner = Fixture.plan("- {agent: words, skill: hang}");
    try (Fixture outer = new Fixture(fixture.orchestrator().agent(inner))) {
      Run run = outer.request("- agent: test").start();
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      run.cancel();
      result(run);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aListenerGetsTheChangesAndTheEnd() throws Exception {
    ConcurrentLinkedQueue<RunEvent> events = new ConcurrentLinkedQueue<>();
    Agent telling = LocalAgent.named("telling")
        .skill("go", task -> {
          task.progress(Progress.of("half"));
          return 1;
        })
        .build();
    try (Fixture one = new Fixture(telling)) {
      Run run = one.request("- {name: a, agent: telling}").onEvent(events::add).start();
      run.reported().get(60, TimeUnit.SECONDS);
      assertThat(events)
          .hasAtLeastOneElementOfType(RunEvent.Changed.class)
          .anyMatch(event -> event instanceof RunEvent.Progressed progressed
              && progressed.step().progress().toString().equals("half"))
          .last()
          .isInstanceOf(RunEvent.Ended.class);
    }
  }

  @Test
  void aFloodOfProgressReachesASlowListenerInABoundedQueue() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger seen = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    Agent flooding = LocalAgent.named("flooding")
        .skill("go", task -> {
          for (int i = 0; i < 100_000; i++) {
            task.progress(Progress.of("update " + i));
          }
          go.countDown();
          return 1;
        })
        .build();
    try (Fixture one = new Fixture(flooding)) {
      Run run = one.request("- {name: a, agent: flooding}")
          .onEvent(event -> {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            seen.incrementAndGet();
            if (event instanceof RunEvent.Changed changed
                && changed.step().state() == StepState.SUCCEEDED) {
              ended.incrementAndGet();
            }
          })
          .start();
      assertThat(result(run).failure()).isNull();
      run.reported().get(60, TimeUnit.SECONDS);
      assertThat(seen.get()).isLessThan(1_100);
      assertThat(ended.get()).isEqualTo(1);
    }
  }

  @Test
  void aThousandRunsOfFiveStepsLoseNone() throws Exception {
    AtomicInteger done = new AtomicInteger();
    Agent counting = LocalAgent.named("counting")
        .skill("next", task -> {
          done.incrementAndGet();
          return task.input().get("n").as(int.class) + 1;
        })
        .build();
    Plan plan = Fixture.plan("""
        - {name: a, agent: counting, input: {n: "${input}"}}
        - parallel:
            - {name: b, agent: counting, input: {n: "${steps.a.output}"}}
            - {name: c, agent: counting, input: {n: "${steps.a.output}"}}
        - {name: d, agent: counting, input: {n: "${steps.b.output}"}}
        - {name: e, agent: counting, input: {n: "${steps.d.output}"}}
        """);
    try (Fixture one = new Fixture(counting)) {
      List<Run> runs = new java.util.ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        runs.add(one.orchestrator().request(plan).input(Json.of(i)).start());
      }
      for (int i = 0; i < 1_000; i++) {
        assertThat(result(runs.get(i)).output()).isEqualTo(Json.of(i + 4));
      }
      assertThat(done).hasValue(5_000);
      assertThat(one.orchestrator().runs()).isEmpty();
    }
  }
}
