package dev.repartee.cli.agents;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Human;
import dev.repartee.agents.Question;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunRequest;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.Timeline;
import dev.repartee.cli.mcp.FormPrompt;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Durations;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Progress;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.Elicitation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents run}: runs a plan and prints its output. */
@Command(
    name = "run",
    description = {
      "Runs a plan and prints its output as one JSON text on standard output. The steps are shown on"
          + " standard error: on a terminal as a tree, otherwise a line for each begin and end.",
      "",
      "Questions of the plan and of its agents are asked at the terminal; without one they are"
          + " refused."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee agents run plan.yaml --input 'the text'",
      "  repartee agents run plan.json --input '{\"folder\":\"src\"}' --timeline run.svg",
      "  repartee agents run plan.yaml --input @input.json --json --quiet",
      "  repartee agents run plan.yaml --trace messages.jsonl --timeout 5m",
      "  repartee agents run plan.yaml --header 'judge:Authorization: Bearer TOKEN'",
      "  repartee agents run plan.yaml --durable postgresql://me@127.0.0.1/runs --run friday",
      "",
      "Exit codes: 0 the output, 1 a step failed or was refused, 2 usage or an invalid plan, 3 an",
      "agent of a failed step cannot be reached, 4 timeout or connection lost, 5 an agent broke its",
      "protocol or a schema."
    })
final class AgentsRunCommand extends Subcommand {
  /** The time in which a run ends after it was cancelled. */
  private static final Duration ENDING = Duration.ofSeconds(10);

  @Parameters(index = "0", paramLabel = "PLAN", description = "The file of the plan: JSON or YAML.")
  String file = "";

  @Option(
      names = "--input",
      paramLabel = "TEXT",
      description = {
        "The input of the plan: JSON, or any other text, which becomes a JSON string. @FILE reads it"
            + " from a file, and - from standard input. Default: {}."
      })
  @Nullable String input;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Durations.class,
      description =
          "The time limit of the run: 300ms, 2s, 1m, or a number of seconds. Default: 10m.")
  Duration timeout = Duration.ofMinutes(10);

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description = "Draw the run in this file, as SVG.")
  @Nullable String timeline;

  @Option(
      names = "--durable",
      paramLabel = "URL",
      description = {
        "Keep the run in this PostgreSQL database: postgresql://USER:PASSWORD@HOST:PORT/DATABASE. If"
            + " it is interrupted, it continues from its last finished step when it is started again"
            + " with its --run, plan and input, here or on another machine."
      })
  @Nullable String durable;

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "The id of the run. Default: a random one, which is shown if it is durable.")
  @Nullable String id;

  @Option(
      names = "--json",
      description = "Print the whole account of the run: output, failure, and each step.")
  boolean json;

  @Option(names = "--quiet", description = "Do not show the steps.")
  boolean quiet;

  @Option(names = "--yes", description = "Agree to all questions that only ask for consent.")
  boolean yes;

  @Mixin
  final AgentOptions agents = new AgentOptions();

  private AgentsRunCommand(Stdio stdio) {
    super(stdio);
  }

  static CommandLine line(Stdio stdio) {
    return new CommandLine(new AgentsRunCommand(stdio));
  }

  @Override
  public Integer call() throws InterruptedException {
    Plan plan = AgentOptions.plan(file);
    Json given = input();
    StepLines lines = new StepLines(stdio, quiet);
    try (DurableRuns runs = durable();
        Team team = agents.team(plan.agents(), stdio);
        Orchestrator orchestrator = Orchestrator.builder(team)
            .human(human(lines))
            .journal(runs == null ? Journal.inMemory() : runs)
            .build()) {
      Run run;
      try {
        RunRequest request = orchestrator.request(plan).input(given).onEvent(lines);
        run = (id == null ? request : request.id(id)).start();
        if (runs != null && id == null) {
          stdio.say("to continue this run after an interruption, add --run " + run.id());
        }
      } catch (IllegalArgumentException e) {
        throw Failure.usage("'" + file + "': " + Failure.reason(e));
      }
      lines.show(run);
      return report(plan, ended(run, orchestrator), lines);
    } finally {
      agents.close();
    }
  }

  private @Nullable DurableRuns durable() {
    if (durable == null) {
      return null;
    }
    try {
      return DurableRuns.connect(durable);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--durable: " + Failure.reason(e));
    } catch (IOException e) {
      throw new Failure(Exit.CANNOT_CONNECT, "--durable: " + Failure.reason(e));
    }
  }

  private Json input() {
    if (input == null) {
      return Json.EMPTY_OBJECT;
    }
    String text = input;
    try {
      if (text.equals("-")) {
        text = new String(stdio.in().readAllBytes(), UTF_8);
      } else if (text.startsWith("@")) {
        text = Files.readString(Path.of(text.substring(1)));
      }
    } catch (IOException | InvalidPathException e) {
      throw Failure.usage("--input: '" + input + "' cannot be read: " + Failure.reason(e));
    }
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return Json.of(text);
    }
  }

  /** Waits for the end of a run. A signal ends the agents, which are not left behind. */
  private RunResult ended(Run run, Orchestrator orchestrator) throws InterruptedException {
    Thread hook = new Thread(orchestrator::close, "end of the run");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      CompletableFuture<RunResult> result = run.result();
      RunResult ended;
      try {
        ended = result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        run.cancel();
        stdio.say("the run has not ended within " + timeout.toMillis()
            + " ms and is cancelled; raise the limit with --timeout");
        ended = result.get(ENDING.toNanos(), TimeUnit.NANOSECONDS);
      }
      run.reported().get(ENDING.toNanos(), TimeUnit.NANOSECONDS);
      return ended;
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException terminating) {
        // The JVM is shutting down, and the hook ends the run.
      }
    }
  }

  private int report(Plan plan, RunResult result, StepLines lines) {
    if (timeline != null) {
      try {
        Files.writeString(Path.of(timeline), Timeline.svg(plan.name(), result));
      } catch (IOException | InvalidPathException e) {
        throw Failure.usage(
            "--timeline: '" + timeline + "' cannot be written: " + Failure.reason(e));
      }
    }
    Json output = result.output();
    dev.repartee.agents.Failure failure = result.failure();
    if (json) {
      stdio.result(RunAccount.json(result));
    } else if (failure == null && output != null) {
      stdio.result(output);
    }
    if (failure == null) {
      return Exit.OK;
    }
    stdio.say(failure.message());
    return AgentOptions.exit(failure);
  }

  // ---------------------------------------------------------------- questions

  private Human human(StepLines lines) {
    FormPrompt prompt =
        new FormPrompt(stdio, lines.lines()::pause, lines.lines()::resume, new Progress(stdio));
    return question -> CompletableFuture.completedFuture(
        yes && question.schema() == null ? Answer.agreed() : answer(prompt, question));
  }

  private static Answer answer(FormPrompt prompt, Question question) {
    String agent = question.agent();
    Elicitation.Answer answer = prompt.apply(new Elicitation(
        (agent == null ? "" : "(" + agent + ") ") + question.message(),
        question.schema(),
        null,
        null));
    return answer.isAccepted()
        ? new Answer(true, question.schema() == null ? null : answer.content(), null)
        : Answer.refused("the answer at the terminal was to " + answer.action());
  }
}
