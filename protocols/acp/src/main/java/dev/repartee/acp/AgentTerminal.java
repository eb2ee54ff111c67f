package dev.repartee.acp;

import dev.repartee.acp.types.KillTerminalRequest;
import dev.repartee.acp.types.KillTerminalResponse;
import dev.repartee.acp.types.ReleaseTerminalRequest;
import dev.repartee.acp.types.ReleaseTerminalResponse;
import dev.repartee.acp.types.TerminalOutputRequest;
import dev.repartee.acp.types.TerminalOutputResponse;
import dev.repartee.acp.types.WaitForTerminalExitRequest;
import dev.repartee.acp.types.WaitForTerminalExitResponse;
import java.time.Duration;

/**
 * A command that the client runs for an agent. {@link ClientAccess#startTerminal} starts it, and
 * {@link #close} releases it. Thread-safe.
 */
public final class AgentTerminal implements AutoCloseable {
  private final ClientAccess client;
  private final String session;
  private final String id;

  AgentTerminal(ClientAccess client, String session, String id) {
    this.client = client;
    this.session = session;
    this.id = id;
  }

  /** Returns the id, for {@link dev.repartee.acp.types.Terminal} as content of a tool call. */
  public String id() {
    return id;
  }

  /** Returns the output so far, and the exit status if the command has ended. */
  public TerminalOutputResponse output() {
    return client.await(
        client.builder("terminal/output", new TerminalOutputRequest(session, id)),
        TerminalOutputResponse.class);
  }

  /**
   * Waits for the end of the command, without a time limit.
   *
   * @throws TurnCancelledException if the turn is cancelled before the end
   */
  public WaitForTerminalExitResponse waitForExit() {
    return client.await(
        client
            .builder("terminal/wait_for_exit", new WaitForTerminalExitRequest(session, id))
            .timeout(Duration.ZERO),
        WaitForTerminalExitResponse.class);
  }

  /** Ends the command and keeps its output. Also works in a cancelled turn. */
  public void kill() {
    client
        .last("terminal/kill", new KillTerminalRequest(session, id))
        .call(KillTerminalResponse.class);
  }

  /**
   * Ends a running command, and releases the terminal without waiting for the answer. Tool calls
   * with this terminal keep its output. Also works in a cancelled turn.
   */
  @Override
  public void close() {
    try {
      client
          .last("terminal/release", new ReleaseTerminalRequest(session, id))
          .send(ReleaseTerminalResponse.class);
    } catch (RuntimeException e) {
      // The terminal has ended with the connection.
    }
  }
}
