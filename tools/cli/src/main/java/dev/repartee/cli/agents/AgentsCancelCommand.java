package dev.repartee.cli.agents;

import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code repartee agents cancel}: cancels a durable run in any process. */
@Command(description = """
        Cancels a durable run. Its process cancels its tasks within about a second. Workers do not \
        continue a cancelled run; 'repartee agents resume' does.""", footer = """
          repartee agents cancel friday --durable postgresql://me@127.0.0.1/runs

        Exit codes: 0 cancelled, 1 the run has ended already, 2 usage or no such run, 3 the \
        database
        cannot be used.""")
final class AgentsCancelCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "RUN", description = "The id of the run.")
  String id = "";

  @Mixin
  final DurableOption durable = new DurableOption();

  @Override
  public Integer call() throws InterruptedException {
    return durable.execute(runs -> {
      DurableOption.find(runs, id);
      runs.cancel(id);
      DurableRun run = DurableOption.find(runs, id);
      if (run.isEnded()) {
        throw Failure.refusal("the run '" + id + "' has " + RunLines.state(run) + " already");
      }
      return Exit.OK;
    });
  }
}
