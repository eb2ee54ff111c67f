package dev.repartee.limits;

import dev.repartee.ReparteeException;

/**
 * Reports that an operation would exceed one of the {@link Limits}, or {@link MemoryBudget}. The
 * message contains the name and the value of the limit.
 */
public final class LimitException extends ReparteeException {
  private static final long serialVersionUID = 1;

  private final String limit;
  private final long max;

  /**
   * Creates an exception for a limit that would be exceeded.
   *
   * @param limit the name of the limit in {@link Limits}
   * @param max the value of the limit
   */
  public LimitException(String limit, long max) {
    super("more than the limit " + limit + " of " + max + " allows");
    this.limit = limit;
    this.max = max;
  }

  /** Returns the name of the limit in {@link Limits}. */
  public String limit() {
    return limit;
  }

  /** Returns the value of the limit. */
  public long max() {
    return max;
  }
}
