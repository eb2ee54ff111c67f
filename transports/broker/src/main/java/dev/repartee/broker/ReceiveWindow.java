package dev.repartee.broker;

/**
 * The flow control of the messages that a worker sends for one request before its reply. The worker
 * may send {@link RequestChannel#WINDOW} bytes; delivered bytes are granted to it again. Guarded by
 * the lock of the channel.
 */
final class ReceiveWindow {
  /**
   * The number of messages that a worker may send before its reply: a message has more bytes than
   * WINDOW / MESSAGES; an honest worker therefore never reaches it.
   */
  private static final int MESSAGES = RequestChannel.WINDOW / 16;

  /** The bytes that arrived and were not delivered. */
  private long undelivered;

  /** The number of messages with these bytes. */
  private int messages;

  /** The bytes that were delivered and not granted again. */
  private long ungranted;

  /** Whether a grant is queued: a thread that cannot send has at most one for each message. */
  private boolean granting;

  /**
   * Counts a message that has arrived. A message may exceed the window if it began within it.
   *
   * @param longest the limit of a message
   * @return whether the worker was allowed to send it
   */
  boolean take(int bytes, int longest) {
    undelivered += bytes;
    messages++;
    return undelivered <= RequestChannel.WINDOW + (long) longest && messages <= MESSAGES;
  }

  /**
   * Counts a message that was delivered.
   *
   * @return whether a grant is due; {@link #grant} must be called then
   */
  boolean delivered(int bytes) {
    undelivered -= bytes;
    messages--;
    ungranted += bytes;
    boolean isDue = !granting && ungranted >= RequestChannel.WINDOW / 2;
    granting |= isDue;
    return isDue;
  }

  /** Returns the bytes to grant now. */
  long grant() {
    long bytes = ungranted;
    ungranted = 0;
    granting = false;
    return bytes;
  }
}
