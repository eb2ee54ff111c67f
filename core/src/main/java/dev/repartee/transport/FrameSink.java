package dev.repartee.transport;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import java.util.concurrent.TimeUnit;

/**
 * A destination of outgoing frames. {@link #open} a frame, write a message into it, then {@link
 * #commit} or {@link #discard} it, on the same thread. Any number of threads may build frames at
 * the same time: frames are built privately and sent whole.
 */
public interface FrameSink {
  /**
   * Starts a frame. Writing {@link Limits#frameBytes} or more bytes into it throws {@link
   * LimitException}; the frame can then be discarded, or truncated and written again.
   */
  OutboundFrame open();

  /**
   * Sends a frame, after the frames that were committed before. Never blocks: a frame that cannot
   * be written immediately is queued.
   *
   * @throws DisconnectedException if no more frames can be sent
   */
  void commit(OutboundFrame frame);

  /**
   * Sends a frame with this text, which has to be JSON. For answers; see {@link
   * OutboundFrame#initiate()} for calls and notifications.
   *
   * @throws DisconnectedException if no more frames can be sent
   */
  default void send(byte[] text) {
    OutboundFrame frame = open();
    frame.raw(text);
    commit(frame);
  }

  /**
   * Commits a frame that may be gathered with others and sent together with them, at the latest by
   * the next {@link #flush} or {@link #commit}. A caller of this method has to flush later.
   *
   * @throws DisconnectedException if no more frames can be sent
   */
  default void gather(OutboundFrame frame) {
    commit(frame);
  }

  /** Sends the gathered frames of all threads. Never blocks. */
  default void flush() {}

  /**
   * Sends the gathered frames of all threads within a moment, together with frames that are
   * gathered until then. Never blocks.
   */
  default void flushSoon() {
    flush();
  }

  /** Drops a frame that was not committed. Does nothing by default. */
  default void discard(OutboundFrame frame) {}

  /**
   * Ends the connection, or its equivalent, because a request cannot be answered or its answer may
   * be lost. Does nothing by default; a sink with a caller that waits for a reply should fail this
   * wait. Called from any thread, in rare cases more than once or after the reply; must not block.
   */
  default void abort(Throwable cause) {}

  /** Returns whether notifications, such as progress, can be sent before a reply. */
  default boolean streams() {
    return false;
  }

  /**
   * Returns whether the write queue has room for answers: no more than {@link Limits#outboundBytes}
   * of them are unsent. Called often, from any thread, and with locks held; it must neither block
   * nor acquire a lock. Answers may be committed in any case; if this method returns false, the
   * caller should cause no more of them. By default there always is room.
   *
   * @see dev.repartee.framing.Receiver#roomAgain
   */
  default boolean takesAnswers() {
    return true;
  }

  /**
   * Sets the action that runs whenever the write queue has got room again after {@link #awaitRoom}
   * has returned false. It must not block. For sinks that are not channels: a {@link Channel} calls
   * {@link dev.repartee.framing.Receiver#roomAgain}. Does nothing by default, for a sink that
   * always has room.
   */
  default void onRoom(Runnable action) {}

  /**
   * Waits until the write queue has room. For senders of calls and notifications, application
   * threads among them; replies never wait. Does not wait on a {@linkplain ReadingThread thread
   * that reads}. By default there always is room.
   *
   * @return whether the queue has room; false after the time has passed
   * @throws DisconnectedException if no more frames can be sent, also if that happens during the
   *     wait
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  default boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return true;
  }
}
