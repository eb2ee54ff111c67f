package dev.repartee.cli.agents;

import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.cli.terminal.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code repartee agents resume}: continues a durable run in this process. */
@Command(description = """
        Continues a durable run in this process, from its last finished step, and prints its \
        output. The run has to be interrupted, cancelled or queued. The command reads its plan and \
        input from the database.""", footer = """
          repartee agents resume friday --durable postgresql://me@127.0.0.1/runs
          repartee agents resume friday --durable postgresql://me@127.0.0.1/runs \\
              --timeline run.svg

        Exit codes: as for 'repartee agents run'; also 2 if there is no such run, and 1 if the run
        has ended or another process executes it.""")
final class AgentsResumeCommand extends RunningCommand {
  @Parameters(index = "0", paramLabel = "RUN", description = "The id of the run.")
  String id = "";

  @Mixin
  final DurableOption durable = new DurableOption();

  @Override
  public Integer call() throws InterruptedException {
    return durable.execute(runs -> {
      DurableRun run = DurableOption.find(runs, id);
      if (run.isEnded()) {
        throw Failure.refusal(
            "the run '" + id + "' has " + RunLines.state(run) + RunLines.remedy(run));
      }
      Plan plan = Plan.parse(run.plan().toString());
      return execute(plan.name(), plan, run.input(), id, runs);
    });
  }
}
