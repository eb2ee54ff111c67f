package dev.repartee.benchmarks.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The latencies of one slice; for one thread. */
public final class Latencies {
  private static final double MICROS = 1_000.0;

  private final Histogram nanos = new Histogram(TimeUnit.SECONDS.toNanos(10), 2);

  public void record(long time) {
    nanos.recordValue(Math.min(time, nanos.getHighestTrackableValue()));
  }

  /**
   * Records the latency of a call in a series with a fixed interval, and the calls that it delayed.
   */
  public void record(long time, long interval) {
    nanos.recordValueWithExpectedInterval(
        Math.min(time, nanos.getHighestTrackableValue()), interval);
  }

  void clear() {
    nanos.reset();
  }

  void add(Latencies other) {
    nanos.add(other.nanos);
  }

  /** Returns the experience of a client that had {@code failed} failed calls. */
  public LatencySummary experience(int failed) {
    return new LatencySummary(
        nanos.getValueAtPercentile(50) / MICROS,
        nanos.getValueAtPercentile(99) / MICROS,
        nanos.getMaxValue() / MICROS,
        nanos.getTotalCount(),
        failed);
  }

  /** Returns the sample of a slice with {@code rate} calls a second. */
  public Sample sample(double rate) {
    boolean taken = nanos.getTotalCount() > 0;
    return new Sample(
        rate,
        taken ? nanos.getValueAtPercentile(50) / MICROS : 0,
        taken ? nanos.getValueAtPercentile(99) / MICROS : 0);
  }
}
