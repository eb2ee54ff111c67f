package dev.repartee.acp.runs;

/** The code of an agent. */
@FunctionalInterface
public interface RunAgent {
  /**
   * Runs once, on a thread of its own, so it may block. The run is completed when the method
   * returns.
   *
   * @throws dev.repartee.RpcException an error; the client gets its message
   * @throws Exception any other failure; the client gets an error without details
   */
  void run(RunContext context) throws Exception;
}
