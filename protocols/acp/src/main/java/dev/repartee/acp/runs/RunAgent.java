package dev.repartee.acp.runs;

/** Runs an agent. */
@FunctionalInterface
public interface RunAgent {
  /**
   * Executes one run, on a thread of its own, so it may block. The return of the method completes
   * the run.
   *
   * @throws dev.repartee.RpcException fails the run; the client gets the message of the error
   * @throws Exception fails the run; the client gets an error without details
   */
  void run(RunContext context) throws Exception;
}
