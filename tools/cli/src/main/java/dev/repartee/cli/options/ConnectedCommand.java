package dev.repartee.cli.options;

import picocli.CommandLine.Mixin;

/** A command that connects to a peer. */
public abstract class ConnectedCommand extends Subcommand {
  @Mixin
  public final Connection connection;

  /** Creates a command that only calls. */
  protected ConnectedCommand() {
    this(new Connection());
  }

  /** Creates a command with another option for its credentials. */
  protected ConnectedCommand(Connection connection) {
    this.connection = connection;
  }
}
