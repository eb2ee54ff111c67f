package dev.repartee;

import java.util.concurrent.TimeUnit;

/**
 * Where frames leave: {@link #open} one, write a message into it, then {@link #commit} or {@link
 * #discard} it, on the same thread. A frame is built privately and leaves whole, so any number of
 * threads may build frames at once.
 */
public interface Outlet {
  /**
   * Starts a frame. Writing {@link Limits#frameBytes} or more into it throws {@link LimitException};
   * it can then be discarded, or cut back and written in another way.
   */
  Output open();

  /**
   * Sends the frame, after those committed before. Never blocks: the frame is queued where it cannot
   * leave at once.
   *
   * @throws DisconnectedException if the way out is closed
   */
  void commit(Output frame);

  /**
   * Commits the frame, which may wait for others to leave with it: until {@link #flush}, at the latest
   * until another is committed. Whoever gathers has to flush.
   *
   * @throws DisconnectedException if the way out is closed
   */
  default void gather(Output frame) {
    commit(frame);
  }

  /** Sends what was gathered, by whatever thread. Never blocks. */
  default void flush() {}

  /**
   * Sends what was gathered, a moment later where much more may be by then, at the latest with the next
   * {@link #flush}. Never blocks.
   */
  default void flushSoon() {
    flush();
  }

  /** Forgets the frame. */
  void discard(Output frame);

  /**
   * Ends the connection, or whatever else stands for the sender: something that has to be answered cannot
   * be, or it is not known whether its answer has left. By default nothing happens, so an outlet that
   * somebody waits at for a reply should fail that wait. Called from any thread, in rare cases more than
   * once and after the reply; must not block.
   */
  default void breakOff(Throwable cause) {}

  /** Whether more than replies may leave: notifications of progress before them. */
  default boolean streams() {
    return false;
  }

  /**
   * Waits until what is queued has room for more, for senders that may block: never those of replies.
   * Returns at once on a thread that reads a channel.
   *
   * @return whether there is room; false after that time
   * @throws DisconnectedException if the way out is closed, or is closed meanwhile
   */
  default boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return true;
  }
}
