package dev.repartee.internal;

import java.time.Duration;

/** Checks and converts times that users give. */
public final class Times {
  /** The name of the header of a message with the milliseconds that are left for its call. */
  public static final String HEADER = "Repartee-Timeout-Ms";

  /**
   * The name of the member with the seconds until the next attempt, in the data of an error of a
   * busy server.
   */
  public static final String RETRY_AFTER = "retryAfter";

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

  private Times() {}

  /**
   * Returns the time.
   *
   * @throws IllegalArgumentException if it is negative or longer than 292 years, the longest time
   *     that a {@code long} of nanoseconds can hold
   */
  public static Duration require(String name, Duration time) {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the time " + name + " is from zero to " + LONGEST.toDays() + " days, not " + time);
    }
    return time;
  }

  /**
   * Returns the nanoseconds of a time, limited to 0 to 146 years: the sum with a {@link
   * System#nanoTime()} or another such time does not overflow.
   */
  public static long nanos(Duration time) {
    if (time.isNegative()) {
      return 0;
    }
    return time.compareTo(FOREVER) < 0 ? time.toNanos() : FOREVER.toNanos();
  }

  /** Returns a time for a message, such as {@code 60 s} or {@code 1500 ms}. */
  public static String text(Duration time) {
    if (time.toMillisPart() != 0) {
      return time.toMillis() + " ms";
    }
    return time.getNano() == 0 ? time.toSeconds() + " s" : time.toNanos() + " ns";
  }
}
