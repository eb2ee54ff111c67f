package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A thread that reads a channel. While it waits nothing is read, so it must never wait for something
 * that has to be read first.
 */
abstract class ReaderThread extends Thread {
  /** What the responder decodes into on this thread. */
  @Nullable Object scratch;

  ReaderThread(String name) {
    super(name);
    setDaemon(true);
  }

  static boolean isCurrent() {
    return currentThread() instanceof ReaderThread;
  }
}
