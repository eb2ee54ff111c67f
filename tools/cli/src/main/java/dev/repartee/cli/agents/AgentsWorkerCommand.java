package dev.repartee.cli.agents;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunResult;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.ErrorLog;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.internal.Threads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code repartee agents worker}: executes durable runs until a signal. */
@Command(description = """
        Executes the durable runs of a database until a signal: submitted runs, and the runs of \
        dead processes and failed machines. Several workers share the runs. The worker starts or \
        connects the agents of each run.

        A worker refuses all questions; with --yes it agrees to questions for consent. After a \
        signal, other workers continue its runs.""", footer = """
          repartee agents worker --durable postgresql://me@127.0.0.1/runs
          repartee agents worker --durable postgresql://me@127.0.0.1/runs \\
              --concurrency 8

        Exit codes: 0 end by a signal, 2 usage, 3 the database cannot be used.""")
final class AgentsWorkerCommand extends Subcommand {
  @Option(names = "--concurrency", paramLabel = "N", description = """
          The maximum number of concurrent runs. Default: 4.""")
  int concurrency = 4;

  @Option(names = "--yes", description = "Agree to all questions for consent. Forms are refused.")
  boolean yes;

  @Mixin
  final DurableOption durable = new DurableOption();

  @Mixin
  final AgentOptions agents = new AgentOptions();

  /** The orchestrators of the running runs; each run has its own team and orchestrator. */
  private final Set<Orchestrator> orchestrators = ConcurrentHashMap.newKeySet();

  @Override
  public Integer call() throws InterruptedException {
    if (concurrency < 1) {
      throw dev.repartee.cli.terminal.Failure.usage(
          "--concurrency: has to be at least 1, not " + concurrency);
    }
    try (DurableRuns runs =
        DurableOption.opened(() -> DurableRuns.worker(durable.url, concurrency, this::start))) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(runs), "end of the worker"));
      stdio.note("taking runs, " + concurrency + " at the same time");
      new CountDownLatch(1).await(); // a signal ends the process
    }
    return Exit.OK;
  }

  /**
   * Leaves the runs to other workers, and ends the process. A signal is the normal end of a worker;
   * therefore the exit code is 0. The default of the JVM would be 128 plus the number of the
   * signal.
   */
  private void end(DurableRuns runs) {
    orchestrators.forEach(Orchestrator::close);
    runs.close();
    agents.close();
    ErrorLog.end();
    Runtime.getRuntime().halt(Exit.OK);
  }

  /** Starts a run that this worker has acquired. */
  private void start(DurableRun run, Journal journal) {
    Plan plan = Plan.parse(run.plan().toString());
    Team team = agents.team(plan.agents(), true, stdio);
    Orchestrator orchestrator = Orchestrator.builder(team)
        .journal(journal)
        .human(RunningCommand.consenting(yes))
        .build();
    orchestrators.add(orchestrator);
    Run started;
    try {
      started = orchestrator.request(plan).id(run.id()).input(run.input()).start();
    } catch (RuntimeException e) {
      close(orchestrator, team);
      throw e;
    }
    stdio.note("begin " + run.id() + " (" + plan.name() + ")");
    started
        .result()
        .thenAcceptAsync(
            result -> {
              stdio.note(words(result));
              close(orchestrator, team);
            },
            Threads.CALLS);
  }

  private void close(Orchestrator orchestrator, Team team) {
    orchestrator.close();
    orchestrators.remove(orchestrator);
    team.close();
  }

  private static String words(RunResult result) {
    Failure failure = result.failure();
    String time = " after " + Duration.between(result.started(), result.ended()).toMillis() + " ms";
    return failure == null
        ? "succeeded " + result.run() + time
        : "failed " + result.run() + time + ": " + failure.message();
  }
}
