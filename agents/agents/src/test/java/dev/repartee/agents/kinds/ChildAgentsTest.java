package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunEvent;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.StepReport;
import dev.repartee.agents.run.StepState;
import dev.repartee.agents.run.Timeline;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents in separate processes, together with remote ones. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChildAgentsTest {
  private static final AgentConnector CONNECTOR =
      new AgentConnector(Options.DEFAULT, Duration.ofSeconds(90));

  private final CompletableFuture<Long> victim = new CompletableFuture<>();

  @Test
  void aRunEndsAsPlannedAlthoughAChildIsKilledInTheMiddle() throws Exception {
    McpServer remote = McpServer.builder("remote", "1")
        .tool(Tool.named("shout").handle((call, input) -> "HEY"))
        .build();
    try (Server http = Repartee.listen(
            "tcp://127.0.0.1:0", Service.builder().method("add", call -> 42).build());
        Server mcp = remote.listen("tcp://127.0.0.1:0")) {
      Map<String, String> uris = new LinkedHashMap<>();
      uris.put("tools", "mcp+" + ChildPrograms.exec(ChildPrograms.Mcp.class));
      uris.put("victim", "json-rpc+" + ChildPrograms.exec(ChildPrograms.JsonRpc.class));
      uris.put("noise", ChildPrograms.exec(ChildPrograms.Garbage.class));
      uris.put("sums", http.endpoint().toString());
      uris.put("voice", "mcp+" + mcp.endpoint());
      uris.put("dead", "tcp://127.0.0.1:1");
      Plan plan = Plan.parse("""
          name: mixed
          steps:
            - name: pids
              parallel:
                - {name: tools, agent: tools, skill: pid}
                - {name: victim, agent: victim, skill: pid}
            - name: work
              parallel:
                - {name: dies, agent: victim, skill: hang, onFailure: continue}
                - {name: noise, agent: noise, skill: x, onFailure: continue}
                - {name: dead, agent: dead, skill: x, onFailure: {value: nobody}}
                - {name: sum, agent: sums, skill: add, input: [40, 2]}
                - {name: shout, agent: voice, skill: shout}
            - {name: last, skill: pid, input: {}}
          output: ["${steps.work.output}", "${steps.pids.output}"]
          """);
      long[] pids;
      try (Team team = CONNECTOR.team(uris);
          Orchestrator orchestrator = Orchestrator.of(team)) {
        assertThat(team.absent()).containsOnlyKeys("dead");
        Run run = orchestrator.request(plan).onEvent(this::killWhenHanging).start();
        RunResult result = run.result().get(120, TimeUnit.SECONDS);

        assertThat(result.failure()).isNull();
        assertThat(result.output().at(0).get("sum")).isEqualTo(Json.of(42));
        assertThat(result.output().at(0).get("shout")).isEqualTo(Json.of("HEY"));
        assertThat(result.output().at(0).get("dead")).isEqualTo(Json.of("nobody"));
        Map<String, StepReport> steps =
            result.steps().stream().collect(Collectors.toMap(StepReport::id, Function.identity()));
        assertThat(steps.get("work/dies").state()).isEqualTo(StepState.FAILED);
        assertThat(steps.get("work/dies").failure().kind()).isEqualTo(Failure.Kind.LOST);
        assertThat(steps.get("work/noise").failure().kind()).isEqualTo(Failure.Kind.PROTOCOL);
        assertThat(steps.get("work/dead").failure().kind()).isEqualTo(Failure.Kind.UNREACHABLE);
        assertThat(steps).allSatisfy((id, step) -> assertThat(step.ended()).isNotNull());
        String svg = Timeline.svg("mixed", result);
        assertThat(svg)
            .contains("<title>call work/dies by victim with hang: failed after")
            .contains("class=\"SUCCEEDED\"");
        Json all = result.output().at(1);
        pids = new long[] {pid(all.get("tools")), pid(all.get("victim"))};
      }
      for (long pid : pids) {
        ProcessHandle.of(pid)
            .map(ProcessHandle::onExit)
            .orElse(CompletableFuture.completedFuture(null))
            .get(60, TimeUnit.SECONDS);
      }
    }
  }

  /** An MCP server that is slow to start is called in a revision with numbers as text. */
  private static long pid(Json output) {
    return output.kind() == Json.Kind.STRING
        ? Long.parseLong(output.as(String.class))
        : output.as(long.class);
  }

  /** Kills the process of the step that reports that it hangs. */
  private void killWhenHanging(RunEvent event) {
    if (event instanceof RunEvent.Changed changed
        && changed.step().id().equals("pids/victim")
        && changed.step().output() != null) {
      victim.complete(changed.step().output().as(long.class));
    } else if (event instanceof RunEvent.Progressed progressed
        && progressed.step().id().equals("work/dies")) {
      ProcessHandle.of(victim.join()).orElseThrow().destroyForcibly();
    }
  }

  @Test
  void cancellingARunReachesTheChild() throws Exception {
    try (Team team =
            CONNECTOR.team(Map.of("child", "mcp+" + ChildPrograms.exec(ChildPrograms.Mcp.class)));
        Orchestrator orchestrator = Orchestrator.of(team)) {
      assertThat(team.absent()).isEmpty();
      CompletableFuture<Run> hanging = new CompletableFuture<>();
      Run run = orchestrator
          .request(Plan.parse("""
              {"name":"p","steps":[{"agent":"child","skill":"hang"}]}"""))
          .onEvent(event -> {
            if (event instanceof RunEvent.Progressed) {
              hanging.join().cancel();
            }
          })
          .start();
      hanging.complete(run);
      assertThat(run.result().get(60, TimeUnit.SECONDS).failure().kind())
          .isEqualTo(Failure.Kind.CANCELLED);
      Run second = orchestrator.request(Plan.parse("""
          {"name":"p","steps":[{"skill":"cancelled"}]}""")).start();
      assertThat(second.result().get(60, TimeUnit.SECONDS).output())
          .isEqualTo(Json.of("the other call was cancelled"));
    }
  }
}
