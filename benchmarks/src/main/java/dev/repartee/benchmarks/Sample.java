package dev.repartee.benchmarks;

/**
 * What one slice of time showed.
 *
 * @param rate calls a second
 * @param median the median latency in microseconds; 0 where it was not taken
 * @param tail the 99th percentile of it
 */
record Sample(double rate, double median, double tail) {
  /** Reads what {@link #line} wrote. */
  static Sample of(String line) {
    String[] words = line.split(" ");
    return new Sample(
        Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
  }

  String line() {
    return rate + " " + median + " " + tail;
  }
}
