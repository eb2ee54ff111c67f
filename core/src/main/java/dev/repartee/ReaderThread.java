package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A thread of this library that reads channels. While it serves a frame of one connection it reads
 * nothing else, so it must never wait for an answer: code that may block calls {@link
 * ReadingThread#isCurrent()} first.
 */
abstract class ReaderThread extends Thread implements ReadingThread {
  /** An object that the engine reuses for each frame that this thread delivers. */
  @Nullable Object reused;

  ReaderThread(String name) {
    super(name);
    setDaemon(true);
  }

  /**
   * Clears the interrupt flag if the calling thread reads channels. A handler or a callback may
   * leave the flag set. Otherwise the code that runs next would be interrupted, and this thread
   * could not block any more.
   */
  static void clearInterrupt() {
    if (ReadingThread.isCurrent()) {
      Thread.interrupted();
    }
  }
}
