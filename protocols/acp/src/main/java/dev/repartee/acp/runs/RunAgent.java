package dev.repartee.acp.runs;

/** Runs an agent. */
@FunctionalInterface
public interface RunAgent {
  /**
   * Executes one run, on a separate thread, and may block. When the method returns, the run is
   * completed.
   *
   * @throws dev.repartee.RpcException fails the run; the client gets the message of the error
   * @throws Exception fails the run; the client gets an error without details
   */
  void run(RunContext context) throws Exception;
}
