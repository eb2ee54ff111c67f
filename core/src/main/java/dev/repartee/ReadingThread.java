package dev.repartee;

/**
 * Marks a thread that reads channels. While it waits nothing is read, so waiting for an answer on it
 * throws instead of hanging, and waiting for room does not wait. Transports with threads of their own
 * mark them so.
 */
public interface ReadingThread {
  /** Whether the calling thread reads channels. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof ReadingThread;
  }
}
