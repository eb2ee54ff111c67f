package dev.repartee.benchmarks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many call at once.
 *
 * @param busy connections that call at the same time
 * @param inFlight calls that each of them has under way, always
 * @param connections connections that are open; where that is more than are busy, they take turns: the
 *     call after an answer goes to the one that has been idle for longest
 */
record Shape(int busy, int inFlight, int connections) {
  /** From so many on only those play that are there to show what connections cost. */
  private static final int CROWD = 1_000;

  private static final Pattern TEXT = Pattern.compile("(\\d+)x(\\d+)(?:of(\\d+))?");

  /** That many connections, all of them busy. */
  Shape(int connections, int inFlight) {
    this(connections, inFlight, connections);
  }

  /** Reads {@code 32x16} or {@code 32x1of10000}. */
  static Shape of(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no shape, such as 32x16 is one");
    }
    int busy = Integer.parseInt(parts.group(1));
    int inFlight = Integer.parseInt(parts.group(2));
    String open = parts.group(3);
    return new Shape(busy, inFlight, open == null ? busy : Integer.parseInt(open));
  }

  /** Whether most connections wait for their turn. */
  boolean takesTurns() {
    return busy < connections;
  }

  boolean isCrowd() {
    return connections >= CROWD;
  }

  @Override
  public String toString() {
    return busy + "x" + inFlight + (takesTurns() ? "of" + connections : "");
  }
}
