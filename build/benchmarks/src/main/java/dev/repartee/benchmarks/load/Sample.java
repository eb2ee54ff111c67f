package dev.repartee.benchmarks.load;

import dev.repartee.benchmarks.report.Statistics;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The result of one slice of time.
 *
 * @param rate calls a second
 * @param median the median latency in microseconds; 0 if not measured
 * @param tail the 99th percentile of the latency in microseconds
 * @param cpu the server's CPU time for a call in microseconds; 0 if not measured
 */
public record Sample(double rate, double median, double tail, double cpu) {
  /** Makes a sample without the server's CPU time. */
  public Sample(double rate, double median, double tail) {
    this(rate, median, tail, 0);
  }

  /** Returns this sample with the server's CPU time, in microseconds for each measured second. */
  Sample withCpu(double microsASecond) {
    return new Sample(rate, median, tail, rate > 0 ? microsASecond / rate : 0);
  }

  /** Parses the output of {@link #line}. */
  public static Sample of(String line) {
    String[] words = line.split(" ");
    return new Sample(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Double.parseDouble(words[3]));
  }

  /** Returns the median of each value. */
  public static Sample median(List<Sample> samples) {
    return new Sample(
        median(samples, Sample::rate),
        median(samples, Sample::median),
        median(samples, Sample::tail),
        median(samples, Sample::cpu));
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Sample> value) {
    return Statistics.median(samples.stream().mapToDouble(value));
  }

  public String line() {
    return rate + " " + median + " " + tail + " " + cpu;
  }
}
