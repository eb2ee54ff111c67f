package dev.repartee.benchmarks;

/**
 * The latencies of a client over a period, in microseconds.
 *
 * @param median the median latency
 * @param tail the 99th percentile
 * @param most the longest latency
 * @param calls the number of calls
 * @param failed the number of calls without a correct answer
 */
record Experience(double median, double tail, double most, long calls, int failed) {
  /** Parses the output of {@link #line}. */
  static Experience of(String line) {
    String[] words = line.split(" ");
    return new Experience(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Long.parseLong(words[3]),
        Integer.parseInt(words[4]));
  }

  String line() {
    return median + " " + tail + " " + most + " " + calls + " " + failed;
  }
}
