package dev.repartee.benchmarks.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures competitors in turns. A change of the machine affects all of them alike.
 *
 * @param name the name of the measurement in the progress on standard error
 * @param competitors the competitors, in order
 */
public record Turns<C>(String name, List<C> competitors) {
  /** The factor by which a rate must beat the best earlier one to count as an improvement. */
  private static final double FASTER = 1.04;

  /** Measures the rate of a competitor. */
  public interface Rate<C> {
    double of(C competitor) throws IOException;
  }

  /** Measures a competitor. */
  public interface Measurement<C> {
    void of(C competitor) throws IOException;
  }

  /**
   * Warms up until the rate of no competitor improves: a compiler that shares a CPU needs time.
   *
   * @param most the maximum number of rounds
   * @param steady the number of rounds in a row without an improvement that ends the warm-up
   */
  public void warmUp(int most, int steady, Rate<C> rate) throws IOException {
    Map<C, Double> best = new HashMap<>();
    int unchanged = 0;
    for (int round = 1; round <= most && unchanged < steady; round++) {
      System.err.printf("%s: warming up, round %d%n", name, round);
      unchanged++;
      for (C competitor : competitors) {
        double reached = rate.of(competitor);
        if (reached > best.getOrDefault(competitor, 0.0) * FASTER) {
          best.put(competitor, reached);
          unchanged = 0;
        }
      }
    }
  }

  /** Measures all competitors that often, in reverse order in every second round. */
  public void rounds(int rounds, Measurement<C> measurement) throws IOException {
    List<C> order = new ArrayList<>(competitors);
    for (int round = 1; round <= rounds; round++) {
      System.err.printf("%s: round %d of %d%n", name, round, rounds);
      Collections.reverse(order);
      for (C competitor : order) {
        measurement.of(competitor);
      }
    }
  }
}
