package dev.repartee.cli.agents;

import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.json.Json;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents run}: runs a plan and prints its output. */
@Command(description = """
        Runs a plan and prints its output as one JSON text on standard output. Standard error \
        shows the steps: a tree on a terminal, otherwise a line for each start and end of a step.

        The terminal shows the questions of the plan and of its agents. Without a terminal, the \
        command refuses them; --yes agrees to all questions for consent.""", footer = """
          repartee agents run plan.yaml --input 'the text'
          repartee agents run plan.json --input '{"folder":"src"}' --timeline run.svg
          repartee agents run plan.yaml --input @input.json --json --quiet
          repartee agents run plan.yaml --trace messages.jsonl --timeout 5m
          repartee agents run plan.yaml --header 'judge:Authorization: Bearer TOKEN'
          repartee agents run plan.yaml --durable postgresql://me@127.0.0.1/runs \\
              --run friday

        Exit codes: 0 success, 1 a step failed or was refused, 2 usage or an invalid plan, 3 an
        agent of a failed step cannot be reached, 4 timeout or connection lost, 5 an agent broke
        its protocol or a schema.""")
final class AgentsRunCommand extends RunningCommand {
  @Parameters(index = "0", paramLabel = "PLAN", description = "The file of the plan: JSON or YAML.")
  String file = "";

  @Mixin
  final InputOption input = new InputOption();

  @Option(names = "--durable", paramLabel = "URL", description = """
          Store the run in this PostgreSQL database: \
          postgresql://USER:PASSWORD@HOST:PORT/DATABASE. An interrupted run continues from its \
          last finished step, on this machine or another one: with the same command and --run, \
          with 'repartee agents resume', or in a 'repartee agents worker'.""")
  @Nullable String durable;

  @Option(names = "--run", paramLabel = "ID", description = """
          The id of the run. Default: a random id; with --durable, it is shown.""")
  @Nullable String id;

  @Override
  public Integer call() throws InterruptedException {
    Plan plan = AgentOptions.plan(file);
    Json given = input.value(stdio);
    try (DurableRuns runs = durable == null ? null : DurableOption.connect(durable)) {
      DurableRun ended = runs == null || id == null ? null : ended(runs, id, plan, given);
      return runs == null || ended == null
          ? execute(file, plan, given, id, runs)
          : report(ended, runs);
    }
  }

  /** Returns the run with this id if it has ended, and was started with the same command. */
  private static @Nullable DurableRun ended(DurableRuns runs, String id, Plan plan, Json input) {
    try {
      return runs.find(id)
          .filter(run ->
              run.isEnded() && run.plan().equals(plan.source()) && run.input().equals(input))
          .orElse(null);
    } catch (UncheckedIOException e) {
      throw DurableOption.unusable(e);
    }
  }
}
