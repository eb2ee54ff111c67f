package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.agents.plan.Plan;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a plan with three child processes of three protocols and two remote agents. Kills one child
 * during the run, then the process that runs the plan. Another process finishes the run.
 */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentsPictureTest {
  private static final String EDITOR = "dev.repartee.examples.agent.Main";

  @TempDir
  Path folder;

  @Test
  void aRunEndsAsPlannedAlthoughAChildAndThenTheOrchestratorAreKilled() throws Exception {
    String database = TestDatabase.create();
    try (Child poet = Child.startProgram(
            "dev.repartee.examples.a2a.Main", "--listen", "http://127.0.0.1:0/");
        Desk desk = new Desk()) {
      Path plan = Files.writeString(
          folder.resolve("plan.yaml"),
          """
          name: picture
          agents:
            tools: %s
            editor: %s
            sums: %s
            poet: %s
            desk: %s
          """.formatted(
                      Json.of("mcp+"
                          + Child.execProgram("dev.repartee.examples.everything.Main", "stdio:")),
                      Json.of("acp+" + Child.execProgram(EDITOR)),
                      Json.of("json-rpc+" + Child.execUri("serve", "--listen", "stdio:")),
                      Json.of("a2a+" + poet.listening()),
                      Json.of(desk.uri()))
              + stepsOfTheGuide());
      Json before;
      try (Child first = Child.start(
          "agents",
          "run",
          plan.toString(),
          "--durable",
          database,
          "--run",
          "picture",
          "--connect-timeout",
          "90s")) {
        var open = desk.next(); // the parallel steps run
        killUntilTheDraftHasFailed(first);
        open.complete("opened");
        desk.next(); // the idempotent step runs
        before = account(database);
        first.process().destroyForcibly().waitFor();
      }

      Path svg = folder.resolve("picture.svg");
      Outcome outcome;
      try (Child second = Child.start(
          "agents",
          "resume",
          "picture",
          "--durable",
          database,
          "--json",
          "--connect-timeout",
          "90s",
          "--timeline",
          svg.toString())) {
        desk.next().complete("checked");
        outcome = second.outcome();
      }

      assertThat(outcome.exit()).as(outcome.err()).isZero();
      Json result = Json.parse(outcome.out());
      assertThat(result.get("output")).isEqualTo(Json.of(List.of("none", 6, "noted send")));
      // Only the idempotent step that was interrupted ran twice.
      assertThat(desk.effects()).containsExactly("open", "file", "check", "check", "send");
      Map<String, Json> steps = byId(result);
      Map<String, String> states = new LinkedHashMap<>();
      steps.forEach((id, step) -> states.put(id, step.get("state").as(String.class)));
      assertThat(states)
          .containsEntry("gather/draft", "failed")
          .containsEntry("check", "succeeded")
          .hasSize(10);
      assertThat(states.values()).filteredOn(Predicate.isEqual("succeeded")).hasSize(9);
      // The steps that had finished before the kill keep their times and numbers of attempts.
      Map<String, Json> finished = byId(before);
      finished.values().removeIf(step -> step.get("ended") == null);
      assertThat(finished).hasSize(8).containsOnlyKeys(restored(steps));
      finished.forEach((id, step) -> {
        assertThat(steps.get(id).get("started")).as(id).isEqualTo(step.get("started"));
        assertThat(steps.get(id).get("attempts")).as(id).isEqualTo(step.get("attempts"));
      });
      assertThat(svg)
          .content()
          .contains(
              "call gather/facts by tools with test_simple_text: succeeded",
              "call gather/draft by editor with prompt: failed",
              "call check by desk with hold: succeeded",
              "from the journal");
      assertThat(account(database).get("state")).isEqualTo(Json.of("succeeded"));
    }
  }

  private static String stepsOfTheGuide() throws Exception {
    String guide = Files.readString(Path.of("..", "..", "docs", "agents.md"));
    int start = guide.indexOf("name: picture\n");
    String plan = guide.substring(start, guide.indexOf("```", start));
    Plan.parse(plan); // the test replaces the agents of the guide, but they must be valid, too
    return plan.substring(plan.indexOf("steps:\n"));
  }

  /**
   * A child that has ended is started again for the next task; one kill may therefore be too early.
   */
  private static void killUntilTheDraftHasFailed(Child orchestrator) throws Exception {
    String line = "";
    while (!line.startsWith("failed gather/draft")) {
      orchestrator.killChildren(EDITOR);
      line = orchestrator.errLineSoon();
    }
  }

  private static Json account(String database) throws Exception {
    Outcome outcome =
        Captured.run("", "agents", "runs", "picture", "--json", "--durable", database);
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    return Json.parse(outcome.out());
  }

  private static Map<String, Json> byId(Json account) {
    return account.get("steps").elements().stream()
        .collect(Collectors.toMap(
            step -> step.get("id").as(String.class),
            step -> step,
            (one, other) -> other,
            LinkedHashMap::new));
  }

  private static String[] restored(Map<String, Json> steps) {
    Set<String> ids = new TreeSet<>();
    steps.forEach((id, step) -> {
      if (step.get("restored") != null) {
        ids.add(id);
      }
    });
    return ids.toArray(String[]::new);
  }
}
