package dev.repartee.benchmarks.report;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Statistics of a small number of values. */
public final class Statistics {
  private static final double CONFIDENCE = 0.95;

  private Statistics() {}

  /** Returns the middle value, or the mean of the two middle values; 0 if there are no values. */
  public static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int n = sorted.length;
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }

  /** Returns the median of a list. */
  public static double median(List<Double> values) {
    return median(values.stream().mapToDouble(Double::doubleValue));
  }

  /**
   * Returns the least value that {@code part} of all values do not exceed; 0 if there are no
   * values.
   */
  public static double quantile(DoubleStream values, double part) {
    double[] sorted = values.sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(part * sorted.length) - 1];
  }

  /** Returns the median distance from the median, relative to it: half of the values lie within. */
  public static double spread(DoubleStream values) {
    double[] all = values.toArray();
    double median = median(Arrays.stream(all));
    return median == 0 ? 0 : median(Arrays.stream(all).map(v -> Math.abs(v - median))) / median;
  }

  /** An interval that contains a median. */
  public record Interval(double low, double high) {
    public boolean contains(double value) {
      return low <= value && value <= high;
    }
  }

  /**
   * Returns the interval of the median of the distribution from which the values were drawn, with a
   * confidence of 95 %. It holds for every distribution: the bounds are two of the values, by the
   * binomial distribution. With fewer than six values it is their full range.
   */
  public static Interval medianInterval(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int n = sorted.length;
    int cut = 0;
    while (2 * (cut + 1) < n && 1 - 2 * cumulated(n, cut) >= CONFIDENCE) {
      cut++;
    }
    int from = Math.max(0, cut - 1);
    return new Interval(sorted[from], sorted[n - 1 - from]);
  }

  /** Returns the probability of at most {@code k} heads in {@code n} throws of a coin. */
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
