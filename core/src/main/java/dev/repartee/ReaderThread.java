package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A thread that reads channels. While it runs one connection's frames, nothing else that it serves is
 * read, so it must never wait for an answer: code that may block asks {@link ReadingThread#isCurrent()} first.
 */
abstract class ReaderThread extends Thread implements ReadingThread {
  /** What the engine keeps to use again between the frames that this thread delivers. */
  @Nullable Scratch scratch;

  ReaderThread(String name) {
    super(name);
    setDaemon(true);
  }

  /**
   * Clears the interrupt flag, where the calling thread is one that reads. A handler or a callback may
   * leave it set, and it is meant for nobody: the code that runs next would be interrupted in its
   * place, and this thread could not sleep any more.
   */
  static void clearInterrupt() {
    if (ReadingThread.isCurrent()) {
      Thread.interrupted();
    }
  }
}
