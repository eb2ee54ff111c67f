package dev.repartee.benchmarks;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The latencies of one slice; for one thread. */
final class Latencies {
  private static final double MICROS = 1_000.0;

  private final Histogram nanos = new Histogram(TimeUnit.SECONDS.toNanos(10), 2);

  void record(long time) {
    nanos.recordValue(Math.min(time, nanos.getHighestTrackableValue()));
  }

  /** Records one of calls that are made at that interval, and those that were late because of it. */
  void record(long time, long interval) {
    nanos.recordValueWithExpectedInterval(
        Math.min(time, nanos.getHighestTrackableValue()), interval);
  }

  void clear() {
    nanos.reset();
  }

  void add(Latencies other) {
    nanos.add(other.nanos);
  }

  /** What a client experienced of whose calls so many failed. */
  Experience experience(int failed) {
    return new Experience(
        nanos.getValueAtPercentile(50) / MICROS,
        nanos.getValueAtPercentile(99) / MICROS,
        nanos.getMaxValue() / MICROS,
        nanos.getTotalCount(),
        failed);
  }

  /** The sample of a slice that made that many calls a second. */
  Sample sample(double rate) {
    boolean taken = nanos.getTotalCount() > 0;
    return new Sample(
        rate,
        taken ? nanos.getValueAtPercentile(50) / MICROS : 0,
        taken ? nanos.getValueAtPercentile(99) / MICROS : 0);
  }
}
