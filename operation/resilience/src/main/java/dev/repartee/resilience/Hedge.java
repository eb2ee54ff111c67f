package dev.repartee.resilience;

import dev.repartee.internal.Times;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A second attempt for slow calls. If the first attempt has no answer after a time, the
 * call is sent once more. The first answer is the result, also if it is an error, and the other
 * attempt is cancelled. Immutable: each method returns a changed copy.
 *
 * <p>Only calls that are {@linkplain Resilience.Builder#idempotent(String...) idempotent} are
 * hedged, and only within the {@linkplain Resilience.Builder#budget budget} of the peer. The server
 * may handle both attempts, at the same time. A second attempt helps if it does not have to wait
 * behind the first: with several endpoints, or with a server that handles calls concurrently. The
 * calls of a {@link dev.repartee.Batch} are not hedged: the time until the batch is sent is not the
 * time of the server.
 */
public final class Hedge {
  private static final double ALL = 100;

  /** The time; with a percentile the shortest time. */
  final Duration time;

  /** The percentile from 0 to 1; 0 for a fixed time. */
  final double quantile;

  private final Predicate<String> methods;

  private Hedge(Duration time, double quantile, Predicate<String> methods) {
    this.time = time;
    this.quantile = quantile;
    this.methods = methods;
  }

  /**
   * Returns a second attempt after a fixed time.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public static Hedge after(Duration time) {
    return new Hedge(Times.require("time", time), 0, method -> true);
  }

  /**
   * Returns a second attempt after the time within which a percentage of the latest calls of the
   * method were answered. With 95, about 5 of 100 calls are hedged. The last 128 calls of up to 100
   * methods for each peer count; other methods count as one. The first 16 calls of a method are not
   * hedged.
   *
   * @param percent more than 0 and less than 100
   * @param atLeast the shortest time
   * @throws IllegalArgumentException if the percentage is out of range, or the time is negative or
   *     more than 292 years
   */
  public static Hedge atPercentile(double percent, Duration atLeast) {
    if (!(percent > 0 && percent < ALL)) {
      throw new IllegalArgumentException(
          "the percentage is more than 0 and less than 100, not " + percent);
    }
    return new Hedge(Times.require("atLeast", atLeast), percent / ALL, method -> true);
  }

  /** Hedges only the calls of these methods, if they are idempotent; by default all. */
  public Hedge methods(String... names) {
    return methods(Set.of(names)::contains);
  }

  /**
   * Hedges only the calls of the methods whose names a predicate accepts, if they are idempotent. It
   * runs on the thread that makes the call, and must be thread-safe.
   */
  public Hedge methods(Predicate<String> names) {
    return new Hedge(time, quantile, Objects.requireNonNull(names));
  }

  boolean applies(String method) {
    return methods.test(method);
  }
}
