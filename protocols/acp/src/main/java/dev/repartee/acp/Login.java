package dev.repartee.acp;

import dev.repartee.acp.types.AuthenticateRequest;

/** Logs the user of a connection in. */
@FunctionalInterface
public interface Login {
  /**
   * Logs in. Runs on a worker thread and may wait for the user.
   *
   * @throws dev.repartee.RpcException an error for the client, such as {@link
   *     AcpErrors#authRequired}
   * @throws Exception any other failure; the client gets an internal error without details
   */
  void authenticate(AuthenticateRequest request) throws Exception;
}
