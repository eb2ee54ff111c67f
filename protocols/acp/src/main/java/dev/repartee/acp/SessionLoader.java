package dev.repartee.acp;

/** Restores a session that the agent has stored. */
@FunctionalInterface
public interface SessionLoader {
  /**
   * Restores a session with the id and the folders of the request. For {@code session/load} it
   * sends the whole history with {@link AgentSession#update} before it returns; for {@code
   * session/resume} it does not send updates. Runs on a worker thread and may block.
   *
   * @throws dev.repartee.RpcException {@link AcpErrors#notFound} if the session does not exist
   * @throws Exception any other failure; the client gets an internal error without details
   */
  void load(AgentSession session) throws Exception;
}
