package dev.repartee.a2a.server;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.TaskStatus;
import java.util.function.Function;

/**
 * Handles the messages of clients. Each message has its own thread. Messages of different tasks are
 * handled at the same time; the messages of one task are handled one at a time.
 */
@FunctionalInterface
public interface Agent {
  /**
   * Handles a message. The first event that the agent sends begins a task, unless it is a {@link
   * Turn#reply}. If the task has not ended when this method returns, and does not wait for its
   * client, it is completed.
   *
   * @throws RpcException becomes the answer. If there is a task already, the task fails with the
   *     message of the error
   * @throws Exception any other exception; the client gets the error -32603 without its message, or
   *     the task fails; the {@link dev.repartee.Listener} of the server gets the exception
   */
  void handle(Turn turn) throws Exception;

  /**
   * Prepares for a state of a task that waits for its client, just before it is sent: in a response,
   * as an event of a stream, or in each attempt of a push notification. Not called for a client that
   * has disconnected. The next message of a client may arrive before the state is sent completely.
   * Does nothing by default.
   *
   * <p>Several threads may call this method, some with locks held. It must not block or throw.
   *
   * @param status the state, with the message that {@link Turn#status} got
   */
  default void sending(String taskId, TaskStatus status) {}

  /**
   * Returns an agent without tasks: each message is answered with a message.
   *
   * @param answer makes the answer; may block
   */
  static Agent replying(Function<? super Message, Message> answer) {
    return turn -> turn.reply(answer.apply(turn.message()));
  }
}
