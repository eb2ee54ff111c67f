package dev.repartee.benchmarks;

/**
 * What one slice of time showed.
 *
 * @param rate calls a second
 * @param median the median latency in microseconds; 0 where it was not taken
 * @param tail the 99th percentile of it
 * @param cpu the server's CPU time for a call in microseconds; 0 where it was not taken
 */
record Sample(double rate, double median, double tail, double cpu) {
  /** A slice in which nobody looked at the server's CPU time. */
  Sample(double rate, double median, double tail) {
    this(rate, median, tail, 0);
  }

  /** The same with the server's CPU time, in microseconds for each second that was measured. */
  Sample withCpu(double microsASecond) {
    return new Sample(rate, median, tail, rate > 0 ? microsASecond / rate : 0);
  }

  /** Reads what {@link #line} wrote. */
  static Sample of(String line) {
    String[] words = line.split(" ");
    return new Sample(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Double.parseDouble(words[3]));
  }

  String line() {
    return rate + " " + median + " " + tail + " " + cpu;
  }
}
