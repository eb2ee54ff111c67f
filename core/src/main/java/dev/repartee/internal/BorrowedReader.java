package dev.repartee.internal;

/**
 * Marks a thread of someone else while it reads a channel, such as a thread of a servlet container.
 * The reading threads of the toolkit are marked by their type.
 */
public final class BorrowedReader {
  private static final ThreadLocal<Boolean> READING = ThreadLocal.withInitial(() -> false);

  private BorrowedReader() {}

  /** Runs a step of reading on the calling thread. */
  public static void run(Runnable step) {
    READING.set(true);
    try {
      step.run();
    } finally {
      READING.remove();
    }
  }

  /** Returns whether the calling thread runs such a step. */
  public static boolean isCurrent() {
    return READING.get();
  }
}
