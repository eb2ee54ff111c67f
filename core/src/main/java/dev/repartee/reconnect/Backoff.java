package dev.repartee.reconnect;

import dev.repartee.internal.Times;
import java.time.Duration;

/**
 * The pauses between attempts to connect: exponential, with full jitter. Before attempt {@code n}
 * passes a random time between zero and {@code initial * factor^(n - 1)}, but not more than {@code
 * max}, so that the clients of a restarted server do not all return at the same moment.
 *
 * <p>Attempts are counted until a connection has lasted for the stable time. A server that accepts
 * connections and closes them immediately causes longer and longer pauses, too. Immutable: each
 * method returns a changed copy.
 */
public final class Backoff {
  /**
   * The defaults: up to 200 ms before the first attempt, twice as much before each further one, up
   * to 30 s; a connection is stable after 30 s; no end.
   */
  public static final Backoff DEFAULT = new Backoff(
      Duration.ofMillis(200),
      2,
      Duration.ofSeconds(30),
      Duration.ofSeconds(30),
      Integer.MAX_VALUE,
      Duration.ZERO);

  /** The shortest pause, however small the random number is. */
  private static final long SHORTEST_NANOS = 1_000_000;

  private final Duration initial;
  private final double factor;
  private final Duration max;
  private final Duration stable;
  private final int attempts;
  private final Duration limit;

  private Backoff(
      Duration initial,
      double factor,
      Duration max,
      Duration stable,
      int attempts,
      Duration limit) {
    this.initial = initial;
    this.factor = factor;
    this.max = max;
    this.stable = stable;
    this.attempts = attempts;
    this.limit = limit;
  }

  /**
   * Sets the longest pause before the first attempt.
   *
   * @throws IllegalArgumentException if the time is not positive
   */
  public Backoff initial(Duration initial) {
    return new Backoff(positive("initial", initial), factor, max, stable, attempts, limit);
  }

  /**
   * Sets the factor by which the longest pause grows with each attempt.
   *
   * @throws IllegalArgumentException if the factor is less than 1 or not finite
   */
  public Backoff factor(double factor) {
    if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("the factor is a number from 1 on, not " + factor);
    }
    return new Backoff(initial, factor, max, stable, attempts, limit);
  }

  /**
   * Sets the longest pause before any attempt.
   *
   * @throws IllegalArgumentException if the time is not positive
   */
  public Backoff max(Duration max) {
    return new Backoff(initial, factor, positive("max", max), stable, attempts, limit);
  }

  /**
   * Sets the time that a connection has to last before attempts are counted from the beginning.
   *
   * @throws IllegalArgumentException if the time is not positive
   */
  public Backoff stableAfter(Duration stable) {
    return new Backoff(initial, factor, max, positive("stableAfter", stable), attempts, limit);
  }

  /**
   * Sets the number of attempts without a stable connection after which the peer ends.
   *
   * @throws IllegalArgumentException if the number is not positive
   */
  public Backoff attempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("at least one attempt is needed, not " + attempts);
    }
    return new Backoff(initial, factor, max, stable, attempts, limit);
  }

  /**
   * Sets the time without a stable connection after which no attempt follows and the peer ends;
   * zero for no limit.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public Backoff giveUpAfter(Duration limit) {
    Times.require("giveUpAfter", limit);
    return new Backoff(initial, factor, max, stable, attempts, limit);
  }

  private static Duration positive(String name, Duration time) {
    if (Times.require(name, time).isZero()) {
      throw new IllegalArgumentException("the time " + name + " has to be positive");
    }
    return time;
  }

  /**
   * Returns the pause before an attempt of a transport that reconnects itself: a random time
   * between half of the longest pause and the longest pause.
   *
   * @param attempt the number of the attempt, from 1 on
   */
  public Duration delay(int attempt) {
    return delay(attempt, (1 + Math.random()) / 2);
  }

  /**
   * Returns the pause before an attempt.
   *
   * @param attempt the number of the attempt, from 1 on
   * @param random from 0 (inclusive) to 1 (exclusive)
   */
  Duration delay(int attempt, double random) {
    double longest = Math.min(max.toNanos(), initial.toNanos() * Math.pow(factor, attempt - 1));
    return Duration.ofNanos(Math.max(SHORTEST_NANOS, (long) (longest * random)));
  }

  /**
   * Returns whether a connection is stable that has lasted for this time: attempts are counted from
   * the beginning after it.
   */
  public boolean isStable(Duration connected) {
    return connected.compareTo(stable) >= 0;
  }

  /** Returns whether there is no further attempt. */
  boolean isOver(int attempts, Duration unstable) {
    return attempts >= this.attempts || !limit.isZero() && unstable.compareTo(limit) >= 0;
  }
}
