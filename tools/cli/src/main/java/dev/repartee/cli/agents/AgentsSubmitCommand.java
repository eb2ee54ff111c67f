package dev.repartee.cli.agents;

import dev.repartee.agents.plan.Plan;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.json.Json;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents submit}: submits a run to the workers of a database. */
@Command(description = """
        Submits a run of a plan to the workers of a database ('repartee agents worker'), and \
        prints its id. Does not wait for its end; 'repartee agents runs' shows its \
        state.""", footer = """
          repartee agents submit plan.yaml --input 'the text' \\
              --durable postgresql://me@127.0.0.1/runs
          repartee agents submit plan.yaml --run friday \\
              --durable postgresql://me@127.0.0.1/runs

        Exit codes: 0 submitted, or the run exists already, 1 the run exists with another plan or
        input, 2 usage or an invalid plan, 3 the database cannot be used.""")
final class AgentsSubmitCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "PLAN", description = "The file of the plan: JSON or YAML.")
  String file = "";

  @Mixin
  final InputOption input = new InputOption();

  @Option(names = "--run", paramLabel = "ID", description = """
          The id of the run. Default: a random id.""")
  @Nullable String id;

  @Mixin
  final DurableOption durable = new DurableOption();

  @Override
  public Integer call() throws InterruptedException {
    Plan plan = AgentOptions.plan(file);
    Json given = input.value(stdio);
    String run = id == null ? UUID.randomUUID().toString() : id;
    return durable.execute(runs -> {
      try {
        runs.submit(run, plan.source(), given);
      } catch (IllegalStateException e) {
        throw Failure.refusal(Failure.reason(e));
      }
      stdio.text(run);
      return Exit.OK;
    });
  }
}
