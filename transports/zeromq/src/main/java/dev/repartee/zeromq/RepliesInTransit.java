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
    // Clients that do not read may exhaust the budget. The replies to others must still pass.
    MemoryBudget budget = MemoryBudget.ofAnswers();
    share = budget.share((int) Math.min(Integer.MAX_VALUE, budget.max() / 4));
  }

  /** Adds a reply; returns false if there is no memory for it. */
  boolean add(int size) {
    return !isCounted(size) || hold(size);
  }

  /** Removes a reply that was added. */
  void remove(int size) {
    if (isCounted(size)) {
      hold(-size);
    }
  }

  private static boolean isCounted(int size) {
    return size > ReplyWriter.SMALL_BYTES;
  }

  private synchronized boolean hold(int more) {
    boolean fits = share.hold(bytes + more);
    if (fits) {
      bytes += more;
    }
    return fits;
  }

  /** Removes all replies, after the thread of the sockets has ended. */
  synchronized void clear() {
    bytes = 0;
    share.hold(0);
  }
}
