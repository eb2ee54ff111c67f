package dev.repartee;

/**
 * Something would pass one of the {@link Limits}, or {@link HeldBytes}; the message names the limit and
 * its value.
 */
public final class LimitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String limit;
  private final long max;

  /**
   * Tells that a limit would be passed.
   *
   * @param limit its name, as {@link Limits} calls it
   * @param max its value
   */
  public LimitException(String limit, long max) {
    super("more than the limit " + limit + " of " + max + " allows");
    this.limit = limit;
    this.max = max;
  }

  /** The name of the limit, as {@link Limits} calls it. */
  public String limit() {
    return limit;
  }

  /** Its value. */
  public long max() {
    return max;
  }
}
