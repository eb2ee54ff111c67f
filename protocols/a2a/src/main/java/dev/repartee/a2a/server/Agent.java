package dev.repartee.a2a.server;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.Message;
import java.util.function.Function;

/**
 * An agent: handles the messages of clients. Several messages may be handled at once, each on a
 * thread of its own, but one at a time for each task.
 */
@FunctionalInterface
public interface Agent {
  /**
   * Handles a message. The first event that the agent sends makes a task of it, unless that is a
   * {@link Turn#reply}. When this method returns, a task that neither has ended nor waits for its
   * client is completed.
   *
   * @throws RpcException to answer with that error; if there is a task already, it fails with the
   *     message of the error
   * @throws Exception any other exception is answered with -32603 without its message, or fails the
   *     task; the {@link dev.repartee.Listener} of the server gets it
   */
  void handle(Turn turn) throws Exception;

  /**
   * Returns an agent without tasks: each message is answered with a message.
   *
   * @param answer makes the answer; may block
   */
  static Agent replying(Function<? super Message, Message> answer) {
    return turn -> turn.reply(answer.apply(turn.message()));
  }
}
