package dev.repartee.zeromq;

import dev.repartee.limits.MemoryBudget;

/**
 * The bytes of the replies that wait for the thread of the sockets, within the {@linkplain
 * MemoryBudget#ofAnswers budget for answers}. Small replies are not counted: their number is limited
 * by the running calls. Thread-safe.
 */
final class RepliesInTransit {
  // Guarded by this.
  private final MemoryBudget.Share share = MemoryBudget.ofAnswers().share(0);
  private long bytes;

  /** Adds a reply; returns false if the budget is exhausted. */
  synchronized boolean add(int size) {
    if (size > ReplyWriter.SMALL_BYTES) {
      if (!share.hold(bytes + size)) {
        return false;
      }
      bytes += size;
    }
    return true;
  }

  /** Removes a reply that was added. */
  synchronized void remove(int size) {
    if (size > ReplyWriter.SMALL_BYTES) {
      bytes -= size;
      share.hold(bytes);
    }
  }
}
