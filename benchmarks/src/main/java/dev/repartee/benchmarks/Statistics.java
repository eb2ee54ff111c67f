package dev.repartee.benchmarks;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** What a handful of figures says. */
final class Statistics {
  private static final double CONFIDENCE = 0.95;

  private Statistics() {}

  /** The middle one, or the mean of the two; 0 of nothing. */
  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int n = sorted.length;
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }

  /** The least value that so many of them, as a part of all, do not exceed; 0 of nothing. */
  static double quantile(DoubleStream values, double part) {
    double[] sorted = values.sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(part * sorted.length) - 1];
  }

  /** The median distance from the median, as a part of it: half of the values lie within. */
  static double spread(DoubleStream values) {
    double[] all = values.toArray();
    double median = median(Arrays.stream(all));
    return median == 0 ? 0 : median(Arrays.stream(all).map(v -> Math.abs(v - median))) / median;
  }

  /** Where a median lies. */
  record Interval(double low, double high) {
    boolean contains(double value) {
      return low <= value && value <= high;
    }
  }

  /**
   * Where the median of what these values were drawn from lies, with a confidence of 95 %, whatever
   * their distribution: between two of them, by the binomial distribution. Needs six values; of fewer
   * it is all they span.
   */
  static Interval medianInterval(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int n = sorted.length;
    int cut = 0;
    while (2 * (cut + 1) < n && 1 - 2 * cumulated(n, cut) >= CONFIDENCE) {
      cut++;
    }
    int from = Math.max(0, cut - 1);
    return new Interval(sorted[from], sorted[n - 1 - from]);
  }

  /** The probability of at most {@code k} heads in {@code n} throws of a coin. */
  private static double cumulated(int n, int k) {
    double term = Math.pow(0.5, n);
    double sum = term;
    for (int i = 1; i <= k; i++) {
      term = term * (n - i + 1) / i;
      sum += term;
    }
    return sum;
  }
}
