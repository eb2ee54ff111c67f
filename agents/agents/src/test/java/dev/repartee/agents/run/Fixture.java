package dev.repartee.agents.run;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Human;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Runs a plan of steps with agents of this process. */
final class Fixture implements AutoCloseable {
  private final Orchestrator orchestrator;

  Fixture(Human human, Agent... agents) {
    this(human, Journal.inMemory(), agents);
  }

  Fixture(Human human, Journal journal, Agent... agents) {
    this(Clock.SYSTEM, human, journal, agents);
  }

  Fixture(Clock clock, Human human, Agent... agents) {
    this(clock, human, Journal.inMemory(), agents);
  }

  private Fixture(Clock clock, Human human, Journal journal, Agent... agents) {
    orchestrator = Orchestrator.builder(Team.of(agents))
        .human(human)
        .journal(journal)
        .clock(clock)
        .build();
  }

  Fixture(Agent... agents) {
    this(Human.NOBODY, agents);
  }

  static Plan plan(String steps) {
    return Plan.parse("name: test\nsteps:\n" + steps.indent(2));
  }

  Orchestrator orchestrator() {
    return orchestrator;
  }

  RunRequest request(String steps) {
    return orchestrator.request(plan(steps));
  }

  RunResult run(String steps, Object input) throws Exception {
    return result(request(steps).input(Json.of(input)).start());
  }

  Run start(String steps) {
    return request(steps).input(Json.of("")).start();
  }

  static RunResult result(Run run) throws Exception {
    return run.result().get(60, TimeUnit.SECONDS);
  }

  /** Returns the states of the steps by their ids. */
  static Map<String, StepState> states(RunResult result) {
    return result.steps().stream().collect(Collectors.toMap(StepReport::id, StepReport::state));
  }

  static StepReport step(RunResult result, String id) {
    return result.steps().stream()
        .collect(Collectors.toMap(StepReport::id, Function.identity()))
        .get(id);
  }

  @Override
  public void close() {
    orchestrator.close();
  }
}
