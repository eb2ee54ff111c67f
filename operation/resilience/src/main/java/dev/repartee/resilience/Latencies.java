package dev.repartee.resilience;

import dev.repartee.internal.Clock;
import java.util.Arrays;

/** The times within which the latest calls of a method were answered. Thread-safe. */
final class Latencies {
  private static final int KEPT = 128;

  /** The number of calls after which the percentile is computed, at first and again. */
  private static final int STEP = 16;

  private final double quantile;

  // Guarded by this.
  private final long[] nanos = new long[KEPT];
  private int added;

  private volatile long threshold = Clock.NEVER;

  Latencies(double quantile) {
    this.quantile = quantile;
  }

  void add(long time) {
    synchronized (this) {
      nanos[added % KEPT] = time;
      added++;
      if (added % STEP != 0) {
        return;
      }
      long[] known = Arrays.copyOf(nanos, Math.min(added, KEPT));
      Arrays.sort(known);
      threshold = known[(int) (quantile * known.length)];
      added = added >= 2 * KEPT ? added - KEPT : added; // no overflow
    }
  }

  /** Returns the percentile in nanoseconds; {@link Clock#NEVER} if too few calls are known. */
  long threshold() {
    return threshold;
  }
}
