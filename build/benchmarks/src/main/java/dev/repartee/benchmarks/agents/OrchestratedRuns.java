package dev.repartee.benchmarks.agents;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Team;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.json.Json;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Runs of a plan. The orchestrator keeps the account and the journal of each, in memory. */
final class OrchestratedRuns implements Runs {
  private static final int CONCURRENT = 10_000;
  private static final Plan PLAN = Plan.parse("""
      name: five
      steps:
        - {name: a, agent: counting, input: "${input}"}
        - parallel:
            - {name: b, agent: counting, input: "${steps.a.output}"}
            - {name: c, agent: counting, input: "${steps.a.output}"}
        - {name: d, agent: counting, input: "${steps.b.output}"}
        - {name: e, agent: counting, input: "${steps.d.output}"}
      """);

  private final Team team;
  private final Orchestrator orchestrator;

  OrchestratedRuns(Work work) {
    team = Team.of(LocalAgent.named("counting")
        .skill("next", task -> work.next(task.input().as(Integer.class)))
        .build());
    orchestrator = Orchestrator.builder(team).concurrentCalls(CONCURRENT).build();
  }

  @Override
  public CompletableFuture<Integer> start(int input) {
    return orchestrator.request(PLAN).input(Json.of(input)).start().result().thenApply(result -> {
      if (result.failure() != null) {
        throw new AgentException(result.failure());
      }
      return Objects.requireNonNull(result.output()).as(Integer.class);
    });
  }

  @Override
  public void close() {
    orchestrator.close();
    team.close();
  }
}
