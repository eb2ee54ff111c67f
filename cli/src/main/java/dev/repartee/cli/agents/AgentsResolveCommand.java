package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.postgres.Resolution;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents resolve}: a person decides about steps whose outcome is unknown. */
@Command(
    name = "resolve",
    description = {
      "Continues a durable run that has failed because the outcome of a step is unknown: the step was"
          + " running when its process ended, and is not idempotent. Look at the agent's side first,"
          + " then decide about each such step: --done, --failed or --repeat.",
      "",
      "The run continues under a new id, which is printed, with the outputs of all finished steps. A"
          + " worker executes it, or 'repartee agents resume'."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs",
      "      lists the steps to decide about",
      "  repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs"
          + " --done 'mail={\"sent\":true}'",
      "  repartee agents resolve friday --durable postgresql://me@127.0.0.1/runs --repeat mail"
          + " --run friday-again",
      "",
      "Exit codes: 0 the run continues, 1 it has not failed or the new id is taken, 2 usage, no such",
      "run or a missing decision, 3 the database cannot be used."
    })
final class AgentsResolveCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "RUN", description = "The id of the failed run.")
  String id = "";

  @Option(
      names = "--done",
      paramLabel = "STEP=OUTPUT",
      description = "The step has taken effect, with this output: JSON, or any other text.")
  List<String> done = new ArrayList<>();

  @Option(
      names = "--failed",
      paramLabel = "STEP=REASON",
      description = "The step has failed; the plan goes on as it says for a failure.")
  List<String> failed = new ArrayList<>();

  @Option(names = "--repeat", paramLabel = "STEP", description = "The step runs again.")
  List<String> repeated = new ArrayList<>();

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "The new id. Default: RUN with -2, -3 and so on behind it.")
  @Nullable String newId;

  @Mixin
  final DurableOption durable = new DurableOption();

  private AgentsResolveCommand(Stdio stdio) {
    super(stdio);
  }

  static CommandLine line(Stdio stdio) {
    return new CommandLine(new AgentsResolveCommand(stdio));
  }

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Resolution> resolutions = new LinkedHashMap<>();
    add(resolutions, done, "--done", "OUTPUT", text -> Resolution.done(value(text)));
    add(resolutions, failed, "--failed", "REASON", Resolution::failed);
    repeated.forEach(step -> resolutions.put(step, Resolution.repeat()));
    return durable.execute(runs -> {
      DurableRun run = DurableOption.find(runs, id);
      requireDecisions(run, runs.steps(id), resolutions);
      String next = newId == null ? free(runs) : newId;
      try {
        runs.resolve(id, next, resolutions);
      } catch (IllegalArgumentException e) {
        throw dev.repartee.cli.terminal.Failure.usage(dev.repartee.cli.terminal.Failure.reason(e));
      } catch (IllegalStateException e) {
        throw new dev.repartee.cli.terminal.Failure(
            Exit.ERROR_RESPONSE, dev.repartee.cli.terminal.Failure.reason(e));
      }
      stdio.text(next);
      return Exit.OK;
    });
  }

  private static void add(
      Map<String, Resolution> resolutions,
      List<String> words,
      String option,
      String value,
      Function<String, Resolution> resolution) {
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw dev.repartee.cli.terminal.Failure.usage(
            option + ": write STEP=" + value + ", not '" + word + "'");
      }
      resolutions.put(word.substring(0, equals), resolution.apply(word.substring(equals + 1)));
    }
  }

  private static Json value(String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return Json.of(text);
    }
  }

  /** Requires a decision about each unknown step: without one the run would fail again. */
  private static void requireDecisions(
      DurableRun run, Map<String, Journal.Entry> steps, Map<String, Resolution> resolutions) {
    if (run.state() != DurableRun.State.FAILED) {
      boolean hasEnded = run.state() == DurableRun.State.SUCCEEDED;
      throw new dev.repartee.cli.terminal.Failure(
          Exit.ERROR_RESPONSE,
          "the run '" + run.id() + "' " + (hasEnded ? "has " : "is ") + RunLines.state(run)
              + "; only a failed run is resolved");
    }
    List<String> open = steps.entrySet().stream()
        .filter(step -> RunLines.state(run, step.getValue()).equals("unknown"))
        .map(Map.Entry::getKey)
        .filter(step -> !resolutions.containsKey(step))
        .toList();
    if (!open.isEmpty()) {
      throw dev.repartee.cli.terminal.Failure.usage("the outcome of the "
          + (open.size() == 1 ? "step " : "steps ") + String.join(", ", open)
          + " is unknown; add --done STEP=OUTPUT, --failed STEP=REASON or --repeat STEP for each");
    }
    Failure failure = run.failure();
    if (resolutions.isEmpty()) {
      throw dev.repartee.cli.terminal.Failure.usage("the run '" + run.id()
          + "' has no step whose outcome is unknown"
          + (failure == null ? "" : "; it has failed: " + failure.message()));
    }
  }

  private String free(DurableRuns runs) {
    int number = 2;
    while (runs.find(id + "-" + number).isPresent()) {
      number++;
    }
    return id + "-" + number;
  }
}
