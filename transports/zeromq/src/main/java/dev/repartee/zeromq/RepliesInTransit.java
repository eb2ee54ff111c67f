package dev.repartee.zeromq;

import dev.repartee.limits.MemoryBudget;

/**
 * The bytes of the replies that wait for the thread of the sockets, within the {@linkplain
 * MemoryBudget#ofAnswers budget for answers}. Small replies are not counted: their number is limited
 * by the running calls. Thread-safe.
 */
final class RepliesInTransit {
  // Guarded by this.
  private final MemoryBudget.Share share;
  private long bytes;

  RepliesInTransit() {
    // The budget may be exhausted by clients that do not read. The replies to others pass then,
    // too.
    MemoryBudget budget = MemoryBudget.ofAnswers();
    share = budget.share((int) Math.min(Integer.MAX_VALUE, budget.max() / 4));
  }

  /** Adds a reply; returns false if there is no memory for it. */
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

  /** Removes all replies, after the thread of the sockets has ended. */
  synchronized void clear() {
    bytes = 0;
    share.hold(0);
  }
}
