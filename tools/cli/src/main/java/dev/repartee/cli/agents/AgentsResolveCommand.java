package dev.repartee.cli.agents;

import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.postgres.Resolution;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents resolve}: decides about steps with unknown outcomes. */
@Command(description = """
        Continues a durable run that has failed because the outcome of a step is unknown: the step \
        was running when its process ended, and is not idempotent. First check the agent for the \
        effect of the step. Then decide about each such step with --done, --failed or --repeat.

        The run continues under a new id, with the outputs of all finished steps. The command \
        prints the new id. A worker executes the run, or 'repartee agents resume'. A run is \
        continued once: later decisions about it are refused.""", footer = """
          repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs
              # lists the steps with unknown outcomes
          repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs \\
              --done 'mail={"sent":true}'
          repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs \\
              --repeat mail --run friday-again

        Exit codes: 0 the run continues, 1 it has not failed, was resolved already, or the new id
        is taken, 2 usage, no such run or a missing decision, 3 the database cannot be used.""")
final class AgentsResolveCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "RUN", description = "The id of the failed run.")
  String id = "";

  @Option(names = "--done", paramLabel = "STEP=OUTPUT", description = """
          The step has taken effect, with this output: JSON, or any other text.""")
  List<String> done = new ArrayList<>();

  @Option(names = "--failed", paramLabel = "STEP=REASON", description = """
          The step has failed; the plan's rule for failures applies.""")
  List<String> failed = new ArrayList<>();

  @Option(names = "--repeat", paramLabel = "STEP", description = "The step runs again.")
  List<String> repeated = new ArrayList<>();

  @Option(names = "--run", paramLabel = "ID", description = """
          The new id. Default: RUN-2, or the next free number.""")
  @Nullable String newId;

  @Mixin
  final DurableOption durable = new DurableOption();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Resolution> resolutions = resolutions();
    return durable.execute(runs -> {
      DurableRun run = DurableOption.find(runs, id);
      requireDecisions(run, runs.steps(id), resolutions);
      String next = newId == null ? free(runs) : newId;
      try {
        runs.resolve(id, next, resolutions);
      } catch (IllegalArgumentException e) {
        throw Failure.usage(Failure.reason(e));
      } catch (IllegalStateException e) {
        throw Failure.refusal(Failure.reason(e));
      }
      stdio.text(next);
      return Exit.OK;
    });
  }

  private Map<String, Resolution> resolutions() {
    Map<String, Resolution> resolutions = new LinkedHashMap<>();
    addAll(resolutions, done, "--done", "OUTPUT", text -> Resolution.done(JsonText.orString(text)));
    addAll(resolutions, failed, "--failed", "REASON", Resolution::failed);
    repeated.forEach(step -> add(resolutions, step, Resolution.repeat()));
    return resolutions;
  }

  private static void add(Map<String, Resolution> resolutions, String step, Resolution resolution) {
    if (resolutions.put(step, resolution) != null) {
      throw Failure.usage("there are two decisions about the step '" + step + "'; give one");
    }
  }

  private static void addAll(
      Map<String, Resolution> resolutions,
      List<String> words,
      String option,
      String value,
      Function<String, Resolution> resolution) {
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw Failure.usage(option + ": write STEP=" + value + ", not '" + word + "'");
      }
      String step = word.substring(0, equals);
      add(resolutions, step, resolution.apply(word.substring(equals + 1)));
    }
  }

  /** Requires a decision about each unknown step; without it, the run would fail again. */
  private static void requireDecisions(
      DurableRun run, Map<String, Journal.Entry> steps, Map<String, Resolution> resolutions) {
    if (run.state() != DurableRun.State.FAILED) {
      boolean hasEnded = run.state() == DurableRun.State.SUCCEEDED;
      throw Failure.refusal("the run '" + run.id() + "' " + (hasEnded ? "has " : "is ")
          + RunLines.state(run) + "; only a failed run is resolved");
    }
    List<String> open = steps.entrySet().stream()
        .filter(step -> RunLines.state(run, step.getValue()).equals("unknown"))
        .map(Map.Entry::getKey)
        .filter(step -> !resolutions.containsKey(step))
        .toList();
    if (!open.isEmpty()) {
      throw Failure.usage("the outcome of the "
          + (open.size() == 1 ? "step " : "steps ") + String.join(", ", open)
          + " is unknown; add --done STEP=OUTPUT, --failed STEP=REASON or --repeat STEP for each");
    }
    dev.repartee.agents.Failure failure = run.failure();
    if (resolutions.isEmpty()) {
      throw Failure.usage("the run '" + run.id()
          + "' has no step with an unknown outcome"
          + (failure == null ? "" : "; it has failed: " + failure.message()));
    }
  }

  /** Returns the first free id. */
  private String free(DurableRuns runs) {
    int number = 2;
    while (runs.find(id + "-" + number).isPresent()) {
      number++;
    }
    return id + "-" + number;
  }
}
