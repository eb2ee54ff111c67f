package dev.repartee.resilience;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget of a peer for further attempts: a bucket of tokens. Each call adds a part of a token,
 * each further attempt removes one. Thread-safe.
 */
final class Budget {
  private static final long TOKEN = 1_000;
  private static final double ALL = 100;

  private final long share;
  private final long most;

  /** In thousandths of a token. */
  private final AtomicLong tokens;

  /**
   * Creates a budget with the tokens of a burst.
   *
   * @param percent the number of further attempts for 100 calls
   * @param burst the number of tokens at the start, and the maximum number, which is at least one
   */
  Budget(double percent, int burst) {
    share = Math.round(percent / ALL * TOKEN);
    most = Math.max(burst, 1) * TOKEN; // without a burst, the parts of calls must still add up
    tokens = new AtomicLong(burst * TOKEN);
  }

  /** Adds the part of a call. */
  void add() {
    if (tokens.get() < most) {
      tokens.updateAndGet(present -> Math.min(most, present + share));
    }
  }

  /** Removes a token; returns false if there is none. */
  boolean acquire() {
    long before = tokens.getAndUpdate(present -> present < TOKEN ? present : present - TOKEN);
    return before >= TOKEN;
  }
}
