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
   * Handles a message. The first event that the agent sends begins a task, unless it is a {@link
   * Turn#reply}. If the task has not ended when this method returns, and does not wait for its
   * client, it is completed.
   *
   * @throws RpcException to answer with that error; if there is a task already, it fails with the
   *     message of the error
   * @throws Exception any other exception; the client gets the error -32603 without its message, or
   *     the task fails; the {@link dev.repartee.Listener} of the server gets the exception
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
