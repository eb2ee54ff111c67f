package dev.repartee.benchmarks.load;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of connections and concurrent calls.
 *
 * @param busy the connections that call at the same time
 * @param inFlight the calls that each busy connection always has in flight
 * @param connections the open connections; if more connections are open than busy, they take turns:
 *     the call after an answer is made on the connection that has been idle for longest
 */
public record Shape(int busy, int inFlight, int connections) {
  /** From this number of connections on only contestants run that show the cost of connections. */
  private static final int CROWD = 1_000;

  private static final Pattern TEXT = Pattern.compile("(\\d+)x(\\d+)(?:of(\\d+))?");

  /** Makes a shape with busy connections only. */
  public Shape(int connections, int inFlight) {
    this(connections, inFlight, connections);
  }

  /** Parses {@code 32x16} or {@code 32x1of10000}. */
  public static Shape of(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a shape; expected for example 32x16");
    }
    int busy = Integer.parseInt(parts.group(1));
    int inFlight = Integer.parseInt(parts.group(2));
    String open = parts.group(3);
    return new Shape(busy, inFlight, open == null ? busy : Integer.parseInt(open));
  }

  /** Returns whether the connections take turns. */
  boolean takesTurns() {
    return busy < connections;
  }

  public boolean isCrowd() {
    return connections >= CROWD;
  }

  @Override
  public String toString() {
    return busy + "x" + inFlight + (takesTurns() ? "of" + connections : "");
  }
}
