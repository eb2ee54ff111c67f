package dev.repartee.benchmarks.load;

/**
 * The latencies of a client over a period, in microseconds.
 *
 * @param median the median latency
 * @param tail the 99th percentile
 * @param most the longest latency
 * @param calls the number of calls
 * @param failed the number of calls without a correct answer
 */
public record LatencySummary(double median, double tail, double most, long calls, int failed) {
  /** Parses the output of {@link #line}. */
  public static LatencySummary of(String line) {
    String[] words = line.split(" ");
    return new LatencySummary(
        Double.parseDouble(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Long.parseLong(words[3]),
        Integer.parseInt(words[4]));
  }

  public String line() {
    return median + " " + tail + " " + most + " " + calls + " " + failed;
  }
}
