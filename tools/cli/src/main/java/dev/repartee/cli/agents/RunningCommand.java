package dev.repartee.cli.agents;

import dev.repartee.agents.Answer;
import dev.repartee.agents.Human;
import dev.repartee.agents.Question;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunRequest;
import dev.repartee.agents.run.RunResult;
import dev.repartee.agents.run.Timeline;
import dev.repartee.cli.mcp.FormPrompt;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.SignalHook;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that executes one run in this process, shows its steps and asks its questions. */
abstract class RunningCommand extends Subcommand {
  /** The time to wait for the end of a stopped run. */
  private static final Duration ENDING = Duration.ofSeconds(10);

  private static final Duration DEFAULT = Duration.ofMinutes(10);

  @Option(names = "--timeout", paramLabel = "TIME", description = """
          The time limit: 300ms, 2s, 1m, or a number of seconds. Without --durable, the default is \
          10m, and the run is cancelled. With --durable, there is no limit by default; the run is \
          interrupted and can be continued.""")
  @Nullable Duration timeout;

  @Option(names = "--timeline", paramLabel = "FILE", description = """
          Draw the run in this file, as SVG.""")
  @Nullable String timeline;

  @Option(names = "--json", description = """
          Print the result of the run as JSON: output, failure, and each step.""")
  boolean json;

  @Option(names = "--quiet", description = "Do not show the steps.")
  boolean quiet;

  @Option(names = "--yes", description = "Agree to all questions for consent.")
  boolean yes;

  @Mixin
  final AgentOptions agents = new AgentOptions();

  /**
   * Executes a run to its end.
   *
   * @param place the name of the plan in errors, such as its file
   * @param id the id, or null for a random id
   * @param runs the journal, or null for a journal in memory
   * @return the exit code
   */
  final int execute(
      String place, Plan plan, Json input, @Nullable String id, @Nullable DurableRuns runs)
      throws InterruptedException {
    StepLines lines = new StepLines(stdio, quiet);
    try (Team team = agents.team(plan.agents(), false, stdio);
        Orchestrator orchestrator = Orchestrator.builder(team)
            .human(human(lines))
            .journal(runs == null ? Journal.inMemory() : runs)
            .build()) {
      Run run;
      try {
        RunRequest request = orchestrator.request(plan).input(input).onEvent(lines);
        run = (id == null ? request : request.id(id)).start();
        if (runs != null && id == null) {
          stdio.say("to continue this run after an interruption, add --run " + run.id());
        }
      } catch (IllegalArgumentException e) {
        throw Failure.usage("'" + place + "': " + Failure.reason(e));
      }
      lines.show(run);
      return report(plan, ended(run, orchestrator, runs != null));
    } finally {
      agents.close();
    }
  }

  /**
   * Waits for the end of a run. A signal closes the orchestrator, which ends the processes of its
   * agents. The time limit interrupts a durable run and cancels other runs.
   */
  private RunResult ended(Run run, Orchestrator orchestrator, boolean durable)
      throws InterruptedException {
    SignalHook hook = new SignalHook("end of the run", orchestrator::close);
    try {
      CompletableFuture<RunResult> result = run.result();
      RunResult ended;
      Duration limit = timeout != null ? timeout : durable ? null : DEFAULT;
      try {
        ended = limit == null ? result.get() : result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        String words = "the run has not ended within " + limit.toMillis() + " ms";
        if (durable) {
          orchestrator.close();
          stdio.say(words + " and is interrupted; 'repartee agents resume " + run.id()
              + "' with the same --durable continues it");
        } else {
          run.cancel();
          stdio.say(words + " and is cancelled; raise the limit with --timeout");
        }
        ended = result.get(ENDING.toNanos(), TimeUnit.NANOSECONDS);
      }
      run.reported().get(ENDING.toNanos(), TimeUnit.NANOSECONDS);
      return ended;
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    } finally {
      hook.remove();
    }
  }

  /** Prints the result of a durable run that has ended before. Returns the exit code. */
  final int report(DurableRun run, DurableRuns runs) {
    dev.repartee.agents.Failure failure = run.failure();
    Json output = run.output();
    if (json) {
      stdio.result(RunLines.json(run, runs.steps(run.id())));
    } else if (output != null) {
      stdio.result(output);
    }
    stdio.say("the run '" + run.id() + "' has " + RunLines.state(run)
        + (failure == null ? " before" : RunLines.remedy(run)));
    return failure == null ? Exit.OK : AgentOptions.exit(failure);
  }

  /** Prints the result, and draws the timeline. Returns the exit code. */
  private int report(Plan plan, RunResult result) {
    Json output = result.output();
    dev.repartee.agents.Failure failure = result.failure();
    if (json) {
      stdio.result(RunLines.json(result));
    } else if (failure == null && output != null) {
      stdio.result(output);
    }
    if (failure != null) {
      stdio.say(failure.message());
    }
    draw(plan, result); // after the output, which a wrong path must not prevent
    return failure == null ? Exit.OK : AgentOptions.exit(failure);
  }

  private void draw(Plan plan, RunResult result) {
    if (timeline == null) {
      return;
    }
    try {
      Files.writeString(Path.of(timeline), Timeline.svg(plan.name(), result));
    } catch (IOException | InvalidPathException e) {
      throw Failure.usage("--timeline: '" + timeline + "' cannot be written: " + Failure.reason(e));
    }
  }

  // ---------------------------------------------------------------- questions

  private Human human(StepLines lines) {
    FormPrompt prompt = new FormPrompt(stdio, lines.lines()::pause, lines.lines()::resume);
    return question -> CompletableFuture.completedFuture(
        yes && question.schema() == null ? Answer.agreed() : answer(prompt, question));
  }

  /**
   * Returns the human of a worker, which runs without a terminal.
   *
   * @param yes whether to agree to questions for consent; other questions are refused
   */
  static Human consenting(boolean yes) {
    return question -> CompletableFuture.completedFuture(
        yes && question.schema() == null
            ? Answer.agreed()
            : Answer.refused("a worker has no terminal; --yes agrees to questions for consent"));
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
        : Answer.refused("the user at the terminal chose to " + answer.action());
  }
}
