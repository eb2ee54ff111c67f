package dev.repartee.acp;

import dev.repartee.acp.types.StopReason;

/** Answers the prompts of an agent. */
@FunctionalInterface
public interface Prompter {
  /**
   * Runs a turn: reads {@link Turn#prompt} and sends updates. Called on a separate thread; may
   * block. Each session runs one turn at a time; turns of different sessions run concurrently.
   *
   * @return the reason for the end of the turn. After a cancellation it is ignored, and the client
   *     receives {@code cancelled}
   * @throws dev.repartee.RpcException an error for the client
   * @throws Exception any other failure; the client gets an internal error without details
   */
  StopReason prompt(Turn turn) throws Exception;
}
