package dev.repartee.agents.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.acp.AcpAgent;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Team;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.json.Json;
import dev.repartee.telemetry.Carrier;
import dev.repartee.telemetry.Telemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls of a run belong to the trace of the call that has started it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunTraceTest {
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();

  @AutoClose
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(spans))
          .build())
      .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
      .build();

  private final Telemetry telemetry =
      Telemetry.builder(sdk).carriers(Carrier.HEADERS, Carrier.MEMBERS).build();
  private final Options options = telemetry.instrument(Options.DEFAULT);
  private final Agent worker =
      LocalAgent.named("worker").skill("work", task -> "done").build();

  private List<SpanData> await(Predicate<SpanData> wanted, int count) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    List<SpanData> found = List.of();
    while (found.size() < count && System.nanoTime() < end) {
      found = spans.getFinishedSpanItems().stream().filter(wanted).toList();
    }
    return found;
  }

  @Test
  void theCallsToAgentsOfAllProtocolsAreChildrenOfTheSpanThatHasStartedTheRun() throws Exception {
    try (Server rpc = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(worker), options);
        Server mcp = AgentServers.mcp(worker, "1", options).listen("tcp://127.0.0.1:0");
        Server acp = AgentServers.acp(worker, "1")
            .listen("tcp://127.0.0.1:0", telemetry.instrument(AcpAgent.options().build()));
        Server a2a = AgentServers.a2a(worker, "1", options).listen("http://127.0.0.1:0/");
        Team team = new AgentConnector(options, Duration.ofSeconds(60))
            .team(Map.of(
                "rpc", "json-rpc+" + rpc.endpoint(),
                "mcp", "mcp+" + mcp.endpoint(),
                "acp", "acp+" + acp.endpoint(),
                "a2a", "a2a+" + a2a.endpoint()));
        Orchestrator orchestrator = Orchestrator.of(team)) {
      assertThat(team.absent()).isEmpty();
      Plan plan = Plan.parse("""
          name: all
          steps:
            - {name: one, agent: rpc, skill: work}
            - {name: two, agent: mcp, skill: work}
            - name: both
              parallel:
                - {name: three, agent: acp, input: go}
                - {name: four, agent: a2a, input: go}
          """);
      Span outer = sdk.getTracer("test").spanBuilder("outer").startSpan();
      RunResult result;
      try (Scope scope = outer.makeCurrent()) {
        assertThat(scope).isNotNull();
        result = orchestrator
            .request(plan)
            .input(Json.EMPTY_OBJECT)
            .start()
            .result()
            .get(60, TimeUnit.SECONDS);
      }
      assertThat(result.failure()).isNull();

      String trace = outer.getSpanContext().getTraceId();
      List<SpanData> served = await(
          span -> span.getKind() == SpanKind.SERVER
              && List.of(
                      "work",
                      "tools/call",
                      "session/prompt",
                      "message/send",
                      "message/stream",
                      "SendMessage",
                      "SendStreamingMessage")
                  .contains(span.getName()),
          4);
      assertThat(served).hasSize(4).allMatch(span -> span.getTraceId().equals(trace));
      List<SpanData> sent = await(
          span -> span.getKind() == SpanKind.CLIENT
              && List.of("work", "tools/call", "session/prompt").contains(span.getName()),
          3);
      assertThat(sent)
          .hasSize(3)
          .allMatch(span -> span.getParentSpanId().equals(outer.getSpanContext().getSpanId()));
    }
  }

  @Test
  void aRunThatIsStartedByACallIsInItsTrace() throws Exception {
    try (Server rpc = Repartee.listen("tcp://127.0.0.1:0", AgentServers.jsonRpc(worker), options);
        Team team = new AgentConnector(options, Duration.ofSeconds(60))
            .team(Map.of("rpc", "json-rpc+" + rpc.endpoint()));
        Orchestrator orchestrator = Orchestrator.of(team);
        Server plans = Repartee.listen(
            "tcp://127.0.0.1:0",
            AgentServers.jsonRpc(orchestrator.agent(Plan.parse("""
                name: plan
                steps:
                  - {name: one, agent: rpc, skill: work}
                  - {name: two, agent: rpc, skill: work}
                """))),
            options);
        var client = Repartee.connect(plans.endpoint().toString(), Service.NONE, options)) {
      client.call("plan", Json.class, Map.of());
      List<SpanData> all = await(span -> List.of("plan", "work").contains(span.getName()), 6);
      assertThat(all).hasSize(6);
      assertThat(all).extracting(SpanData::getTraceId).containsOnly(all.get(0).getTraceId());
    }
  }
}
