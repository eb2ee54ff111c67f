package dev.repartee.agents.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
  private static final String YAML = """
      name: review
      description: Reads and judges a file
      agents:
        files: mcp+exec:files
        judge: json-rpc+tcp://127.0.0.1:7000
      input: {type: object}
      budget: {calls: 20, time: 2m, concurrency: 4}
      steps:
        - name: read
          agent: files
          skill: read_file
          input: {path: "${input.folder}/a.txt"}
          deadline: 10s
          timeout: 500ms
          idempotent: true
          retries: 2
          backoff: 100ms
        - name: views
          parallel:
            - {name: style, agent: judge, skill: style, input: "${steps.read.output}"}
            - {name: bugs, skill: bugs, input: ["${steps.read.output.lines[0]}", 1]}
          onFailure: continue
        - name: each
          map: ${steps.views.output.bugs}
          step: {name: fix, agent: judge, skill: fix, input: {bug: "${item}", at: "${index}"}}
          concurrency: 2
          onFailure: {value: []}
        - approval: "Write ${steps.each.output}? It costs $${5}"
        - name: first
          race:
            - {agent: judge, skill: a}
            - sequence:
                - {agent: judge, skill: b}
      output: {fixed: "${steps.each.output}"}
      """;

  @Test
  void aPlanIsReadFromYaml() {
    Plan plan = Plan.parse(YAML);

    assertThat(plan.name()).isEqualTo("review");
    assertThat(plan.agents()).containsOnlyKeys("files", "judge");
    assertThat(plan.budget()).isEqualTo(new Budget(20, Duration.ofMinutes(2), 4, 0, 0));
    assertThat(plan.steps().steps().stream().map(Step::kind))
        .containsExactly("call", "parallel", "map", "approval", "race");
    Step.Call read = (Step.Call) plan.steps().steps().get(0);
    assertThat(read.policy().deadline()).isEqualTo(Duration.ofSeconds(10));
    assertThat(read.attempts())
        .isEqualTo(
            new Policy.Attempts(true, Duration.ofMillis(500), 2, Duration.ofMillis(100), null));
    assertThat(plan.steps().steps().get(1).policy().onFailure()).isEqualTo(OnFailure.CONTINUE);
    assertThat(plan.steps().steps().get(2).policy().onFailure().fallback())
        .isEqualTo(Json.EMPTY_ARRAY);
    assertThat(plan.steps().steps().get(3).name()).isEqualTo("4");
    assertThat(plan.steps().steps().get(4).steps().get(1).steps().get(0).name()).isEqualTo("5_2_1");
  }

  @Test
  void theSamePlanIsReadFromJson() {
    Plan yaml = Plan.parse(YAML);
    Plan json = Plan.parse(yaml.source().toString());
    assertThat(json.source()).isEqualTo(yaml.source());
    assertThat(json.steps().steps()).hasSize(5);
  }

  @Test
  void aReferenceBecomesAValueOrAText() {
    Template template = Template.parse(Json.parse("""
            {"all":"${input}","text":"a ${input.n} b ${input.t}","name":"${input[\\"x.y\\"]}",\
            "brace":"a${input[\\"x}y\\"]}}","plain":"$${input}","second":"${input.list[1].a}"}"""), "input");
    Json input = Json.parse("""
        {"n":12345678901234567890,"t":"T","x.y":true,"x}y":1,"list":[0,{"a":null}]}""");

    Json resolved = template.resolve(Reference.Values.of(input));

    assertThat(resolved.get("all")).isEqualTo(input);
    assertThat(resolved.get("text")).isEqualTo(Json.of("a 12345678901234567890 b T"));
    assertThat(resolved.get("name")).isEqualTo(Json.TRUE);
    assertThat(resolved.get("brace")).isEqualTo(Json.of("a1}"));
    assertThat(resolved.get("plain")).isEqualTo(Json.of("${input}"));
    assertThat(resolved.get("second")).isEqualTo(Json.NULL);
    assertThatThrownBy(() -> template.resolve(Reference.Values.of(Json.EMPTY_OBJECT)))
        .hasMessage("'${input.n}' has no value");
  }

  @Test
  void aReferenceThatRepeatsALargeValueIsRefused() {
    Template template =
        Template.parse(Json.of(java.util.Collections.nCopies(100, "${input}")), "input");
    Json large = Json.of("x".repeat(1 << 20));
    assertThatThrownBy(() -> template.resolve(Reference.Values.of(large)))
        .hasMessageContaining("larger than 8 MiB");
  }

  private static void refused(String steps, String place, String reason) {
    assertThatThrownBy(() -> Plan.parse("{\"name\":\"p\",\"steps\":" + steps + "}"))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(place + ": ")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      [] | steps | at least one step
      [{}] | steps[0] | needs one of the members
      [{"agent":"a","race":[]}] | steps[0] | of one kind
      [{"agent":"a","retries":1}] | steps[0].retries | idempotent: true
      [{"agent":"a","backoff":1}] | steps[0].backoff | no 'retries'
      [{"agent":"a","wait":1}] | steps[0].wait | unknown member
      [{"agent":"a","deadline":"soon"}] | steps[0].deadline | 300ms, 2s, 1m
      [{"agent":"a","deadline":"0s"}] | steps[0].deadline | 300ms, 2s, 1m
      [{"agent":"a","onFailure":"ignore"}] | steps[0].onFailure | fail, continue
      [{"agent":1}] | steps[0].agent | expected a string, not a number
      [{"agent":"a","name":"a b"}] | steps[0].name | letters, digits
      [{"name":"x","agent":"a"},{"name":"x","agent":"a"}] | steps[1].name | another step
      [{"agent":"a","input":"${steps.x.output}"}] | steps[0].input | no earlier step 'x'
      [{"name":"x","agent":"a","input":"${steps.x.output}"}] | steps[0].input | not finished
      [{"agent":"a","input":"${item}"}] | steps[0].input | only in the step of a map
      [{"agent":"a","input":"${stepz}"}] | steps[0].input | is not a reference
      [{"agent":"a","input":{"b":["${input"]}}] | steps[0].input.b[0] | a '}' is missing
      [{"map":[1]}] | steps[0].step | missing
      [{"parallel":[{"name":"a","agent":"x"},{"agent":"x","input":"${steps.a.output}"}]}] | \
      steps[0].parallel[1].input | has not finished
      [{"race":[{"name":"a","agent":"x"}]},{"agent":"x","input":"${steps.a.output}"}] | \
      steps[1].input | has not finished
      [{"map":[],"step":{"name":"a","agent":"x"}},{"agent":"x","input":"${steps.a.output}"}] | \
      steps[1].input | has not finished
      """)
  void aMistakeIsReportedWithItsPlace(String steps, String place, String reason) {
    refused(steps, place, reason);
  }

  @Test
  void theStepsOfAParallelStepAreKnownAfterIt() {
    Plan plan = Plan.parse("""
        {"name":"p","steps":[
          {"parallel":[{"name":"a","agent":"x"},{"sequence":[{"name":"b","agent":"x"}]}]},
          {"agent":"x","input":["${steps.a.output}","${steps.b.output}"]}]}
        """);
    assertThat(plan.steps().steps()).hasSize(2);
  }

  @Test
  void anUnknownAgentIsReported() {
    assertThatThrownBy(() -> Plan.parse("""
        {"name":"p","agents":{"a":"exec:x"},"steps":[{"agent":"b"}]}"""))
        .hasMessage("steps[0].agent: the plan has no agent 'b'; it has a");
  }

  @Test
  void aTextThatIsNoPlanIsRefused() {
    for (Map.Entry<String, String> bad : Map.of(
            "{\"name\":", "it is not valid JSON",
            "name: [", "it is not valid YAML",
            "name: a\nname: b", "it is not valid YAML",
            "agents: {a: b}\nname: exec:x stdio:", "a colon at its end in quotes",
            "- a", "expected an object",
            "1: a", "put it in quotes",
            "a: .nan", "write a text",
            "a: !!binary aGk=", "it is not valid YAML")
        .entrySet()) {
      if (bad.getKey().contains("binary")) {
        assertThatThrownBy(() -> Plan.parse(bad.getKey())).isInstanceOf(PlanException.class);
      } else {
        assertThatThrownBy(() -> Plan.parse(bad.getKey()))
            .isInstanceOf(PlanException.class)
            .hasMessageContaining(bad.getValue());
      }
    }
  }

  @Test
  void aliasesThatStandForManyValuesAreRefused() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i <= 24; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
    }
    assertThatThrownBy(() -> Plan.parse(bomb.toString()))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("more than 100000 values");
  }

  @Test
  void aliasesThatRepeatALongTextAreRefused() {
    String plan = "name: p\nlong: [&a " + "x".repeat(100_000) + ", *a".repeat(20) + "]";
    assertThatThrownBy(() -> Plan.parse(plan))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("larger than 1 MiB when its aliases are replaced");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "!!int "})
  void aLongIntegerIsRefusedBeforeItIsRead(String tag) {
    assertThatThrownBy(() -> Plan.parse("name: p\nlong: " + tag + "9".repeat(1_000_000)))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("an integer has more than 1000 digits");
  }

  @Test
  void anErrorRepeatsNoLongText() {
    assertThatThrownBy(() -> Plan.parse("{\"name\":\"" + "x".repeat(10_000) + "\"}"))
        .hasMessageStartingWith("name: 'xxx")
        .satisfies(e -> assertThat(e.getMessage()).hasSize(1_003));
    assertThat(new PlanException("x".repeat(999) + "\uD83D\uDE00"))
        .hasMessage("x".repeat(999) + "...");
  }

  @Test
  void anAliasOfItselfIsRefused() {
    assertThatThrownBy(() -> Plan.parse("name: &a [*a]")).isInstanceOf(PlanException.class);
    assertThatThrownBy(() -> Plan.parse("name: " + "[".repeat(200_000)))
        .isInstanceOf(PlanException.class);
  }

  @Test
  void aliasesMayShareTheRulesOfSteps() {
    Plan plan = Plan.parse("""
        name: p
        steps:
          - name: a
            agent: x
            input: &same {city: Oslo}
          - {name: b, agent: x, input: *same}
        """);
    assertThat(((Step.Call) plan.steps().steps().get(1)).input().source())
        .isEqualTo(Json.parse("{\"city\":\"Oslo\"}"));
  }
}
