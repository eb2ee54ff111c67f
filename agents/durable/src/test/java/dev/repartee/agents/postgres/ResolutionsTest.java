package dev.repartee.agents.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decisions about steps with unknown outcomes. */
@Tag("ci")
@Timeout(180)
class ResolutionsTest {
  private static final Json INPUT = Json.of("x");
  private static final Json PLAN = Plan.parse("""
      {"name":"two","agents":{"w":"exec:true"},"steps":[{"name":"mail","agent":"w","skill":"s"},
       {"name":"send","agent":"w","skill":"s"}]}
      """).source();

  /** Makes a run that has failed, with an unknown outcome of its step {@code mail}. */
  private static void fail(DurableRuns runs, String run) {
    Journal.Log log = runs.open(run, PLAN, INPUT);
    log.started("mail", 1, Instant.now());
    log.ended(null, new Failure(Failure.Kind.UNKNOWN_OUTCOME, "the outcome of mail is unknown"));
    runs.await(run);
  }

  private static Map<String, Resolution> done(String output) {
    return Map.of("mail", Resolution.done(Json.of(output)));
  }

  @Test
  void aFailedRunIsContinuedOnce() throws Exception {
    String database = TestDatabase.create();
    try (DurableRuns runs = DurableRuns.connect(database)) {
      fail(runs, "r1");
      runs.resolve("r1", "r1-2", done("ok"));

      for (String next : List.of("r1-2", "r1-3")) {
        assertThatThrownBy(() -> runs.resolve("r1", next, done("ok")))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("the run r1 was resolved already as r1-2; its decisions cannot be changed");
      }
      assertThat(runs.find("r1-3")).isEmpty();

      fail(runs, "r2");
      assertThatThrownBy(() -> runs.resolve("r2", "r1-2", done("ok")))
          .hasMessage("a run r1-2 exists already; choose another id");
      runs.resolve("r2", "r2-2", done("ok"));
      assertThat(runs.find("r2-2")).isPresent();

      // The process has ended after it recorded a continuation, and before it submitted the run.
      fail(runs, "r3");
      TestDatabase.execute(
          database,
          "INSERT INTO repartee.resolution SELECT 'r3', 'r3-2', input FROM repartee.resolution"
              + " WHERE run = 'r1'");
      assertThatThrownBy(() -> runs.resolve("r3", "r3-3", done("late")))
          .hasMessageContaining("resolved already as r3-2");
      assertThat(runs.find("r3-2")).isPresent();
      assertThat(runs.find("r3-3")).isEmpty();
    }
  }

  @Test
  void aFailedRunIsContinuedUnderAnotherIdAfterAnotherRunHasTakenItsId() throws Exception {
    String database = TestDatabase.create();
    try (DurableRuns runs = DurableRuns.connect(database)) {
      fail(runs, "r1");
      runs.resolve("r1", "r1-2", done("ok"));

      // The process has ended after it recorded a continuation, and another run takes the new id.
      fail(runs, "r2");
      TestDatabase.execute(
          database,
          "INSERT INTO repartee.resolution SELECT 'r2', 'r2-2', input FROM repartee.resolution"
              + " WHERE run = 'r1'");
      runs.submit("r2-2", PLAN, Json.of("other"));
      runs.resolve("r2", "r2-3", done("ok"));
      assertThat(runs.find("r2-3")).isPresent();
    }
  }

  @Test
  void theDecisionsOfOneOfTwoPeopleCount() throws Exception {
    String database = TestDatabase.create();
    ExecutorService people = Executors.newFixedThreadPool(2);
    try (DurableRuns one = DurableRuns.connect(database);
        DurableRuns two = DurableRuns.connect(database)) {
      for (int round = 0; round < 8; round++) {
        String run = "r" + round;
        String next = run + "-2";
        fail(one, run);
        CyclicBarrier both = new CyclicBarrier(2);
        List<Future<String>> decisions = new ArrayList<>();
        for (DurableRuns person : List.of(one, two)) {
          String name = person == one ? "one" : "two";
          Callable<String> decision = () -> {
            both.await();
            try {
              person.resolve(run, next, done(name));
              return name;
            } catch (IllegalStateException e) {
              return String.valueOf(e.getMessage());
            }
          };
          decisions.add(people.submit(decision));
        }
        List<String> outcomes = List.of(decisions.get(0).get(), decisions.get(1).get());
        String winner = outcomes.get(0).equals("one") ? "one" : "two";
        assertThat(outcomes)
            .containsExactlyInAnyOrder(
                winner,
                "the run " + run + " was resolved already as " + next
                    + "; its decisions cannot be changed");
        Journal.Log log = one.open(next, PLAN, INPUT);
        assertThat(log.entries().get("mail").output()).isEqualTo(Json.of(winner));
        log.ended(Json.NULL, null);
      }
    } finally {
      people.shutdownNow();
    }
  }
}
