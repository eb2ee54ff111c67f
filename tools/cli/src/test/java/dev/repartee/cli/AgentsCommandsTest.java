package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.LiveLines;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.transport.http.HttpRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of {@code repartee agents}, with an MCP server and a JSON-RPC service. */
class AgentsCommandsTest {
  private static final String TOOLS = "mcp+mem:agents-commands-tools";
  private static final String SERVICE = "json-rpc+mem:agents-commands-service";

  private static Server tools;
  private static Server service;

  @TempDir
  Path folder;

  private Path plan;

  @BeforeAll
  static void serve() throws Exception {
    tools = McpServer.builder("tools", "1")
        .tool(Tool.named("upper")
            .description("Makes a text loud")
            .handle((call, input) -> input.get("text").as(String.class).toUpperCase()))
        .build()
        .listen("mem:agents-commands-tools");
    service = Repartee.listen(
        "mem:agents-commands-service",
        Service.builder()
            .method("twice", call -> List.of(call.params().at(0), call.params().at(0)))
            .method("hang", call -> {
              new CountDownLatch(1).await();
              return null;
            })
            .build());
  }

  @AfterAll
  static void stop() {
    tools.close();
    service.close();
  }

  @BeforeEach
  void plan() throws Exception {
    plan = write("plan.yaml", """
        name: loud
        description: Says a text twice, loudly
        agents:
          tools: %s
          service: %s
        steps:
          - {name: upper, skill: upper, input: {text: "${input}"}}
          - {name: ask, approval: "Say ${steps.upper.output}?"}
          - {name: twice, agent: service, skill: twice, input: ["${steps.upper.output}"]}
        """.formatted(TOOLS, SERVICE));
  }

  private Path write(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text);
  }

  private static Outcome run(String... words) {
    return Captured.run(
        "", Stream.concat(Stream.of("agents"), Stream.of(words)).toArray(String[]::new));
  }

  @Test
  void aPlanIsRunAndItsStepsAreShown() throws Exception {
    Path svg = folder.resolve("run.svg");
    Path trace = folder.resolve("trace.jsonl");
    Outcome outcome = run(
        "run",
        plan.toString(),
        "--input",
        "hey",
        "--yes",
        "--timeline",
        svg.toString(),
        "--trace",
        trace.toString());

    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(outcome.out()).isEqualTo("[\"HEY\",\"HEY\"]\n");
    assertThat(outcome.err())
        .contains("begin upper (tools upper)", "succeeded twice (service twice) after");
    assertThat(svg).content().contains("<svg", "call twice by service with twice");
    assertThat(trace).content().contains("tools/call", "\"twice\"");
  }

  @Test
  void aTimelineThatCannotBeWrittenDoesNotCostTheOutput() {
    String absent = folder.resolve("absent/run.svg").toString();
    Outcome outcome = run("run", plan.toString(), "--input", "hey", "--yes", "--timeline", absent);

    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.out()).isEqualTo("[\"HEY\",\"HEY\"]\n");
    assertThat(outcome.err()).contains("--timeline: '" + absent + "' cannot be written");
  }

  @Test
  void anInputLargerThanAMessageIsRefused() throws Exception {
    Path large = folder.resolve("large.json");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength(Limits.DEFAULT.frameBytes() + 1L);
    }
    Outcome outcome = run("run", plan.toString(), "--input", "@" + large, "--yes");

    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("too much for a message; send less");
  }

  @Test
  void aRefusedQuestionFailsTheRun() {
    Outcome outcome = run("run", plan.toString(), "--input", "hey", "--json");

    assertThat(outcome.exit()).isEqualTo(1);
    Json account = Json.parse(outcome.out());
    assertThat(account.get("step")).isEqualTo(Json.of("ask"));
    assertThat(account.get("failure").get("kind")).isEqualTo(Json.of("refused"));
    assertThat(account.get("steps").elements()).hasSize(3);
    assertThat(account.get("steps").at(2).get("state")).isEqualTo(Json.of("skipped"));
    assertThat(outcome.err())
        .contains("declines because its standard input is not a terminal", "the step 'ask' failed");
  }

  @Test
  void aRunThatTakesTooLongIsCancelled() throws Exception {
    Path hanging = write("hang.yaml", """
        {"name":"h","agents":{"s":"%s"},"steps":[{"agent":"s","skill":"hang"}]}
        """.formatted(SERVICE));
    Outcome outcome = run("run", hanging.toString(), "--timeout", "100ms", "--quiet");
    assertThat(outcome.exit()).isEqualTo(4);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("has not ended within 100 ms", "the run was cancelled");
  }

  @Test
  void anAgentThatCannotBeReachedIsReported() throws Exception {
    Path dead = write("dead.yaml", """
        {"name":"d","agents":{"gone":"mem:agents-nobody"},"steps":[{"agent":"gone","skill":"x"}]}
        """);
    Outcome outcome = run("run", dead.toString());
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err()).contains("the agent 'gone' cannot be used");

    Outcome listed = run("list", TOOLS, "mem:agents-nobody");
    assertThat(listed.exit()).isEqualTo(3);
    assertThat(listed.out()).contains("upper");
  }

  @Test
  void aDatabaseThatCannotBeUsedIsReportedBeforeAnyStepRuns() {
    Outcome absent =
        run("run", plan.toString(), "--durable", "postgresql://me:secret@127.0.0.1:1/runs");
    assertThat(absent.exit()).isEqualTo(3);
    assertThat(absent.err())
        .contains("--durable: cannot use the database postgresql://127.0.0.1:1/runs")
        .doesNotContain("secret")
        .doesNotContain("upper");

    Outcome other = run("run", plan.toString(), "--durable", "mysql://127.0.0.1/runs");
    assertThat(other.exit()).isEqualTo(2);
    assertThat(other.err()).contains("write postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
  }

  @Test
  void anInvalidPlanIsAUsageErrorWithItsPlace() throws Exception {
    Path bad = write("bad.yaml", "name: b\nsteps: [{agent: a, retries: 3}]\n");
    Outcome outcome = run("run", bad.toString());
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("bad.yaml': steps[0].retries: only a step with");
    assertThat(run("run", "nothing.yaml").err()).contains("there is no file 'nothing.yaml'");
    assertThat(run("run", write("b.yaml", "name: b\nsteps: [{agent: a}]").toString())
            .err())
        .contains("calls the agent 'a', which is not in the team");
    assertThat(run("list", "smtp+x:y").err()).contains("unknown protocol 'smtp'");
  }

  @Test
  void theSkillsOfAgentsAreListed() {
    Outcome ofPlan = run("list", plan.toString());
    assertThat(ofPlan.exit()).as(ofPlan.err()).isZero();
    assertThat(ofPlan.out()).contains("tools", "upper", "Makes a text loud", "twice");

    Outcome json = run("list", TOOLS, SERVICE, "--json");
    assertThat(json.out().lines().map(Json::parse).map(agent -> agent.get("name")))
        .containsExactly(Json.of(TOOLS), Json.of(SERVICE));
  }

  @Test
  void eachAgentGetsItsOwnHeaders() throws Exception {
    Service shown = Service.builder()
        .method("shown", call -> call.attributes().get(HttpRequest.HEADERS).get("authorization"))
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", shown)) {
      Path two = write("two.yaml", """
          name: two
          agents: {a: "%1$s", b: "%1$s"}
          steps: [{parallel: [{name: a, agent: a, skill: shown}, {name: b, agent: b, skill: shown}]}]
          """.formatted(server.endpoint()));
      Path file = write("headers", "a:Authorization: Bearer s3cret\n");
      Outcome outcome = run("run", two.toString(), "--header", "@" + file);
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.out()).isEqualTo("{\"a\":\"Bearer s3cret\",\"b\":null}\n");
      assertThat(outcome.err()).doesNotContain("s3cret");

      String uri = server.endpoint().toString();
      assertThat(run("list", uri, "--header", uri + ":X-Key: s3cret").exit()).isZero();
      for (String wrong : List.of("Authorization: s3cret", "a: s3cret", "a:X-Key s3cret")) {
        Outcome refused = run("run", two.toString(), "--header", wrong);
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err())
            .contains("--header is not 'AGENT:NAME: VALUE'")
            .doesNotContain("s3cret");
      }
    }
  }

  @Test
  void aPlanIsServedAsAnAgentOfAnotherPlan() throws Exception {
    Path inner = write("inner.yaml", """
        {"name":"inner","steps":[{"name":"ok","approval":"Say ${input.what}?"}],
         "output":{"said":"${input.what}"}}
        """);
    Path outer = write("outer.yaml", """
        {"name":"outer","agents":{"inner":%s},
         "steps":[{"skill":"inner","input":{"what":"${input}"}}]}
        """.formatted(
            Json.of("mcp+" + Child.execUri("agents", "serve", inner.toString()))));

    Outcome outcome =
        run("run", outer.toString(), "--input", "hi", "--yes", "--connect-timeout", "90s");
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(outcome.out()).isEqualTo("{\"said\":\"hi\"}\n");

    assertThat(run("serve", plan.toString(), "--as", "soap").err())
        .contains("mcp, a2a, acp, acp-runs or json-rpc, not 'soap'");
  }

  @Test
  void aPlanIsServedAsRunsWhoseApprovalsAreAskedOfTheCaller() throws Exception {
    Path inner = write("inner.yaml", """
        {"name":"Inner","steps":[{"name":"ok","approval":"Say ${input}?"}],
         "output":"${input}!"}
        """);
    try (Child server = Child.start(
        "agents", "serve", inner.toString(), "--as", "acp-runs", "--listen", "tcp://127.0.0.1:0")) {
      String uri = server.errLine().replace("listening on ", "acp-runs+");
      assertThat(run("list", uri).out()).contains("inner");
      Path outer = write("outer.yaml", """
          {"name":"outer","agents":{"i":"%s"},"steps":[{"skill":"inner","input":"hi"}]}
          """.formatted(uri));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      Stdio terminal = new Stdio(
          new TypedInput("", "yes", "yes"),
          out,
          new PrintStream(err, true, StandardCharsets.UTF_8),
          false,
          true,
          true);
      int agreed = Main.run(terminal, "agents", "run", outer.toString());
      assertThat(agreed).as(err.toString(StandardCharsets.UTF_8)).isZero();
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("\"hi!\"\n");
      Outcome refused = run("run", outer.toString(), "--yes"); // the question asks for a text
      assertThat(refused.exit()).isEqualTo(1);
      assertThat(refused.err()).contains("Say hi?");
    }

    Path nameless = write("nameless.yaml", "name: _\nsteps: [{approval: Go?}]\n");
    Outcome unnamed = run("serve", nameless.toString(), "--as", "acp-runs");
    assertThat(unnamed.exit()).isEqualTo(2);
    assertThat(unnamed.err()).contains("nameless.yaml': the name of an agent has lower case");
  }

  @Test
  void linesOnATerminalReplaceEachOther() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Stdio stdio = new Stdio(
        new ByteArrayInputStream(new byte[0]),
        new ByteArrayOutputStream(),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        true,
        true);
    LiveLines lines = new LiveLines(stdio);
    lines.show(List.of("a", "  b\u001b[2J"));
    lines.show(java.util.Collections.nCopies(30, "c"));
    lines.clear();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("a\n  b\\u001b[2J\n\u001b[2A\u001b[Jc\n")
        .endsWith("... and 11 more\n\u001b[20A\u001b[J");
  }
}
