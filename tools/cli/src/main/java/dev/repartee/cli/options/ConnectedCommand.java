package dev.repartee.cli.options;

import picocli.CommandLine.Mixin;

/** A command that connects to a peer. */
public abstract class ConnectedCommand extends Subcommand {
  @Mixin
  public final Connection connection = new Connection();
}
