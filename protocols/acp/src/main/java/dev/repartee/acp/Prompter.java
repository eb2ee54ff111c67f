package dev.repartee.acp;

import dev.repartee.acp.types.StopReason;

/** An agent's answer to a prompt. */
@FunctionalInterface
public interface Prompter {
  /**
   * Runs a turn: reads {@link Turn#prompt} and sends updates. Runs on a thread of its own, so it
   * may block. One turn of a session runs at a time; sessions run beside each other.
   *
   * @return the reason for the end of the turn. After a cancellation the client gets {@code
   *     cancelled}, also if something else is returned or thrown
   * @throws dev.repartee.RpcException an error for the client
   * @throws Exception any other failure; the client gets an internal error without details
   */
  StopReason prompt(Turn turn) throws Exception;
}
