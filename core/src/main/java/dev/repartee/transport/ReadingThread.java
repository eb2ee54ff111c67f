package dev.repartee.transport;

import dev.repartee.internal.BorrowedReader;
import dev.repartee.internal.Sweeper;

/**
 * A marker of threads that read channels. While such a thread waits, its channels are not read.
 * Waiting for an answer on it throws {@link IllegalStateException} instead of hanging, and {@link
 * FrameSink#awaitRoom} does not wait. The reading threads of a transport implement this
 * interface; {@link #isCurrent} also knows threads of others that read for a moment.
 */
public interface ReadingThread {
  /**
   * Runs an action on this thread after it has read all channels that are ready at the moment, so
   * that messages caused by several of them leave together. To be called on this thread only.
   *
   * @param action must not throw or block
   * @return false, the default, if this thread reads one channel only: then the action is not run
   */
  default boolean runAfterReads(Runnable action) {
    return false;
  }

  /**
   * Returns whether the calling thread reads channels, or ends calls at their time limits: on the
   * thread of the time limits, waiting would delay all of them.
   */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof ReadingThread
        || Sweeper.isCurrent()
        || BorrowedReader.isCurrent();
  }

  /**
   * Clears the interrupt flag if the calling thread reads channels. A handler or a callback may
   * leave the flag set. Otherwise the code that runs next would be interrupted, and this thread
   * could no longer block.
   */
  static void clearInterrupt() {
    if (isCurrent()) {
      Thread.interrupted();
    }
  }
}
