package dev.repartee.benchmarks;

/**
 * How a client was served for a while, in microseconds.
 *
 * @param median the median latency
 * @param tail the 99th percentile
 * @param most the longest
 * @param calls how many were made
 * @param failed how many of them were not answered rightly
 */
record Experience(double median, double tail, double most, long calls, int failed) {
  /** Reads what {@link #line} wrote. */
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
