package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a step.
 *
 * @param deadline the time of the whole step, with all attempts; null for no limit
 * @param onFailure the consequence of a failure
 */
public record Policy(@Nullable Duration deadline, OnFailure onFailure) {
  /** The default rules: no deadline, and a failure is passed on. */
  public static final Policy DEFAULT = new Policy(null, OnFailure.FAIL);

  /**
   * The rules for the attempts of a call.
   *
   * @param idempotent whether a repeated call has the same effect as one
   * @param timeout the time of one attempt; null for no limit
   * @param retries the number of retries after a failure; 0 unless idempotent
   * @param backoff the pause before the first retry; each next pause is twice as long
   * @param outputSchema the JSON Schema of the output; null if any output is accepted
   */
  public record Attempts(
      boolean idempotent,
      @Nullable Duration timeout,
      int retries,
      Duration backoff,
      @Nullable Json outputSchema) {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** One attempt without a time limit. */
    public static final Attempts ONE = new Attempts(false, null, 0, Duration.ofMillis(200), null);

    /**
     * Returns the pause after a failed attempt, 30 seconds at most.
     *
     * @param attempt counted from 1
     */
    public Duration pauseAfter(int attempt) {
      Duration pause = backoff.multipliedBy(1L << Math.min(attempt - 1, 20));
      return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
  }
}
