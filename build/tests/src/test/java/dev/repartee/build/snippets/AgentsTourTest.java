package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the code of agents/agents/README.md and docs/agents.md. */
class AgentsTourTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  private static final Plan PLAN = Plan.parse("""
      name: shout
      steps:
        - {name: loud, skill: upper, input: "${input}"}
        - {name: sure, approval: "Split ${steps.loud.output}?", onFailure: continue}
        - {name: list, agent: words, skill: split, input: "${steps.loud.output}"}
      """);

  @Test
  void aPlanRunsInThisProcessAndOverBothProtocols() throws Exception {
    Json expected = Json.parse("[\"TWO\",\"WORDS\"]");
    assertThat(AgentsTour.here(PLAN)).isEqualTo(expected);
    try (Team team = Team.of(AgentsTour.words());
        Orchestrator orchestrator = Orchestrator.of(team);
        Server rpc = AgentsTour.serve(orchestrator, PLAN, "tcp://127.0.0.1:0")) {
      String outer =
          "name: p\nagents: {shout: \"%s\"}\nsteps: [{skill: shout, input: [\"${input}\"]}]"
              .formatted(rpc.endpoint());
      assertThat(AgentsTour.run(outer, Json.of("two words"))).isEqualTo(expected);
      try (Server mcp = AgentsTour.serve(orchestrator, PLAN, "mcp+tcp://127.0.0.1:0")) {
        assertThat(mcp.endpoint().toString()).startsWith("tcp://");
      }
      assertThat(AgentsTour.drawn(orchestrator, PLAN)).startsWith("<svg");
    }
  }

  @Test
  void thePlanOfTheGuideIsValid() throws Exception {
    Matcher block = Pattern.compile("(?ms)^```yaml\\R(.*?)^```")
        .matcher(Files.readString(ROOT.resolve("docs/agents.md")));
    assertThat(block.find()).isTrue();
    assertThat(Plan.parse(block.group(1)).steps().steps()).hasSize(5);
  }
}
