package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Stdio;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** A subcommand of {@code repartee}: runs, and returns one of {@link Exit}. */
public abstract class Subcommand implements Callable<Integer> {
  protected final Stdio stdio;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  protected Subcommand(Stdio stdio) {
    this.stdio = stdio;
  }
}
