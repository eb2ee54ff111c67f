package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Stdio;
import java.util.concurrent.Callable;

/** A command that runs, and returns one of {@link Exit}. Its parser sets all fields. */
public abstract class Subcommand extends Documented implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set before the command runs
  protected Stdio stdio;

  /** Sets the standard streams, for a command that is created without a parser. */
  public final void use(Stdio streams) {
    stdio = streams;
  }
}
