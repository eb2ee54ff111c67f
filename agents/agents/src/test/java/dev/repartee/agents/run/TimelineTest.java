package dev.repartee.agents.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Task;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.json.Json;
import java.io.StringReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class TimelineTest {
  @Test
  void eachStepHasABarWithATextAlternative() throws Exception {
    Agent agent = LocalAgent.named("a<b>")
        .skill("same", Task::input)
        .skill("fail", task -> {
          throw new IllegalStateException("\"quotes\" & <tags> \u0001 \uD800");
        })
        .build();
    try (Fixture fixture = new Fixture(agent)) {
      RunResult result = fixture.run("""
          - name: group
            onFailure: continue
            parallel:
              - {name: good, agent: "a<b>", skill: same}
              - {name: bad, agent: "a<b>", skill: fail}
          - {name: last, agent: "a<b>", skill: fail}
          - {name: never, agent: "a<b>", skill: same}
          """, Map.of());
      Document svg = DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(Timeline.svg("plan & run", result))));

      assertThat(svg.getDocumentElement().getAttribute("aria-label"))
          .startsWith("plan & run, ")
          .contains("5 steps, failed: the step 'last'");
      assertThat(svg.getElementsByTagName("title").getLength()).isEqualTo(5);
      assertThat(svg.getElementsByTagName("title").item(4).getTextContent())
          .isEqualTo("call never by a<b> with same: skipped");
      assertThat(svg.getElementsByTagName("title").item(2).getTextContent())
          .contains("call group/bad by a<b> with fail: failed after", "\"quotes\" & <tags>");
    }
  }

  @Test
  void aRunThatWasContinuedBeginsWithItsFirstStep() {
    Instant begin = Instant.parse("2026-01-02T03:04:00Z");
    StepReport first = new StepReport(
        "one",
        "one",
        "call",
        0,
        StepState.SUCCEEDED,
        "worker",
        "do",
        1,
        begin,
        begin.plusSeconds(1),
        Json.TRUE,
        null,
        null,
        true);
    RunResult result = new RunResult(
        "run",
        Json.TRUE,
        null,
        null,
        0,
        begin.plusSeconds(5),
        begin.plusSeconds(10),
        List.of(first));

    String svg = Timeline.svg("plan\u202E", result);

    assertThat(svg)
        .contains("aria-label=\"plan?, 10.0 s, 1 steps, succeeded\"")
        .contains("<rect class=\"SUCCEEDED\" x=\"260.0\" y=\"77\" width=\"52.0\"")
        .contains("<line class=\"resumed\" x1=\"520.0\"")
        .contains(">one<tspan class=\"axis\" dx=\"8\">worker</tspan>");
  }
}
