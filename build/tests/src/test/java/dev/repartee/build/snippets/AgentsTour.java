package dev.repartee.build.snippets;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Team;
import dev.repartee.agents.kinds.AgentConnector;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunEvent;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.Timeline;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** The code of agents/agents/README.md and docs/agents.md. */
final class AgentsTour {
  private AgentsTour() {}

  static Json run(String yaml, Json input) {
    Plan plan = Plan.parse(yaml);
    try (Team team = new AgentConnector().team(plan.agents());
        Orchestrator orchestrator = Orchestrator.of(team)) {
      RunResult result =
          orchestrator.request(plan).input(input).start().result().join();
      if (result.failure() != null) {
        throw new AgentException(result.failure());
      }
      return result.output();
    }
  }

  static Agent words() {
    return LocalAgent.named("words")
        .skill("upper", task -> task.input().as(String.class).toUpperCase(Locale.ROOT))
        .skill("split", task -> List.of(task.input().as(String.class).split(" ")))
        .build();
  }

  static String drawn(Orchestrator orchestrator, Plan plan) {
    Run run = orchestrator
        .request(plan)
        .onEvent(event -> {
          if (event instanceof RunEvent.Changed changed) {
            System.out.println(changed.step().id() + " " + changed.step().state());
          }
        })
        .start();
    RunResult result = run.result().join();
    String svg = Timeline.svg(plan.name(), result);
    return svg;
  }

  static Server serve(Orchestrator orchestrator, Plan plan, String uri) throws IOException {
    Agent agent = orchestrator.agent(plan);
    return uri.startsWith("mcp+")
        ? AgentServers.mcp(agent, "1.0").listen(uri.substring("mcp+".length()))
        : Repartee.listen(uri, AgentServers.jsonRpc(agent));
  }

  static Json here(Plan plan) {
    try (Team team = Team.of(words());
        Orchestrator orchestrator = Orchestrator.of(team)) {
      RunResult result = orchestrator
          .request(plan)
          .input(Json.of("two words"))
          .human(question -> CompletableFuture.completedFuture(Answer.agreed()))
          .start()
          .result()
          .join();
      return result.output();
    }
  }
}
