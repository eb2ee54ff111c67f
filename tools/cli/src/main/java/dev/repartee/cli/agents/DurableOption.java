package dev.repartee.cli.agents;

import dev.repartee.agents.postgres.DurableRun;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.cli.terminal.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import picocli.CommandLine.Option;

/** The database of durable runs. */
final class DurableOption {
  @Option(names = "--durable", paramLabel = "URL", required = true, description = """
          The PostgreSQL database of the runs: postgresql://USER:PASSWORD@HOST:PORT/DATABASE. \
          Without PASSWORD, the password is read from ~/.pgpass.""")
  String url = "";

  /** The work of a command with the runs of a database. */
  interface Work {
    /** Returns the exit code. */
    int with(DurableRuns runs) throws InterruptedException;
  }

  /** Connects to the database, without executing submitted runs, and does the work of a command. */
  int execute(Work work) throws InterruptedException {
    try (DurableRuns runs = connect(url)) {
      return work.with(runs);
    } catch (UncheckedIOException e) {
      throw unusable(e);
    }
  }

  /** Returns the failure of the command if the database has failed. */
  static Failure unusable(UncheckedIOException e) {
    return Failure.cannotConnect("--durable: " + Failure.reason(e));
  }

  static DurableRuns connect(String url) {
    return opened(() -> DurableRuns.connect(url));
  }

  /** Opens a database. */
  interface Opening {
    DurableRuns open() throws IOException;
  }

  /** Opens a database, and converts exceptions to failures of the command. */
  static DurableRuns opened(Opening opening) {
    try {
      return opening.open();
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--durable: " + Failure.reason(e));
    } catch (IOException e) {
      throw Failure.cannotConnect("--durable: " + Failure.reason(e));
    }
  }

  /** Returns the run with an id. */
  static DurableRun find(DurableRuns runs, String id) {
    return runs.find(id)
        .orElseThrow(() -> Failure.usage(
            "there is no run '" + id + "' in the database; 'repartee agents runs' lists them"));
  }
}
