package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Table;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents runs}: lists durable runs, or the steps of one. */
@Command(description = """
        Lists the newest durable runs with their state, their times, and the steps that run or \
        have failed. With RUN: lists the steps of this run that have begun.

        The states of a run are queued (no process executes it yet), running, interrupted (its \
        process is dead), cancelled, succeeded and failed. A step with an unknown outcome is \
        unknown.""", footer = """
          repartee agents runs --durable postgresql://me@127.0.0.1/runs
          repartee agents runs friday --durable postgresql://me@127.0.0.1/runs
          repartee agents runs --durable postgresql://me@127.0.0.1/runs --json |
              jq .state

        Exit codes: 0 done, 2 usage or no such run, 3 the database cannot be used.""")
final class AgentsRunsCommand extends Subcommand {
  @Parameters(index = "0", arity = "0..1", paramLabel = "RUN", description = "The id of a run.")
  @Nullable String id;

  @Option(names = "--limit", paramLabel = "N", description = """
          The maximum number of runs. Default: 20.""")
  int limit = 20;

  @Option(names = "--json", description = """
          Print one JSON object per line, for each run with its steps.""")
  boolean json;

  @Mixin
  final DurableOption durable = new DurableOption();

  @Override
  public Integer call() throws InterruptedException {
    if (limit < 1) {
      throw dev.repartee.cli.terminal.Failure.usage("--limit: has to be at least 1, not " + limit);
    }
    return durable.execute(runs -> {
      Table table = new Table();
      if (id != null && !json) {
        DurableRun run = DurableOption.find(runs, id);
        runs.steps(id).forEach((step, entry) -> row(table, run, step, entry));
      } else {
        for (DurableRun run :
            id == null ? runs.list(limit) : List.of(DurableOption.find(runs, id))) {
          row(table, run, runs.steps(run.id()));
        }
      }
      stdio.table(table);
      return Exit.OK;
    });
  }

  private void row(Table table, DurableRun run, Map<String, Journal.Entry> steps) {
    if (json) {
      stdio.item(RunLines.json(run, steps));
      return;
    }
    if (table.isEmpty()) {
      table.row("RUN", "PLAN", "STATE", "CREATED", "ENDED", "STEPS");
    }
    table.row(
        run.id(),
        RunLines.plan(run),
        RunLines.state(run),
        RunLines.time(run.created()),
        RunLines.time(run.ended()),
        RunLines.steps(run, steps));
  }

  private static void row(Table table, DurableRun run, String step, Journal.Entry entry) {
    if (table.isEmpty()) {
      table.row("STEP", "STATE", "STARTED", "ENDED", "OUTPUT");
    }
    Failure failure = entry.failure();
    table.row(
        step,
        RunLines.state(run, entry),
        RunLines.time(entry.started()),
        RunLines.time(entry.ended()),
        failure != null
            ? failure.message()
            : entry.output() == null ? "" : entry.output().toString());
  }
}
