package dev.repartee.a2a.server;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.TaskStatus;
import java.util.function.Function;

/**
 * Handles the messages of clients. Each message runs on its own thread. Messages of different tasks
 * are handled concurrently, the messages of one task one at a time.
 */
@FunctionalInterface
public interface Agent {
  /**
   * Handles a message. The first event of the agent begins a task, unless it is a {@link
   * Turn#reply}. A task that neither has ended nor waits for its client when this method returns is
   * completed.
   *
   * @throws RpcException becomes the answer. After the first event of a task, the task fails with
   *     the message of the error
   * @throws Exception any other exception; the client gets the error -32603 without its message, or
   *     the task fails; the {@link dev.repartee.Listener} of the server gets the exception
   */
  void handle(Turn turn) throws Exception;

  /**
   * Called just before the state of a task that waits for its client is sent: in a response, as an
   * event of a stream, or in each attempt of a push notification. Not called for a client that has
   * disconnected. The next message of a client may arrive before the state is sent completely. Does
   * nothing by default.
   *
   * <p>Several threads may call this method, some of them while they hold locks. It must not block
   * or throw.
   *
   * @param status the state, with the message that was passed to {@link Turn#status}
   */
  default void sending(String taskId, TaskStatus status) {}

  /**
   * Returns an agent without tasks: each message is answered with a message.
   *
   * @param answer returns the answer; may block
   */
  static Agent replying(Function<? super Message, Message> answer) {
    return turn -> turn.reply(answer.apply(turn.message()));
  }
}
