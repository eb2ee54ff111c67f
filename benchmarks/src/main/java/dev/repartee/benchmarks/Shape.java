package dev.repartee.benchmarks;

/**
 * How many call at once.
 *
 * @param connections connections that are open
 * @param inFlight calls that each has under way, always
 */
record Shape(int connections, int inFlight) {
  /** Reads {@code 32x16}. */
  static Shape of(String text) {
    int x = text.indexOf('x');
    return new Shape(
        Integer.parseInt(text.substring(0, x)), Integer.parseInt(text.substring(x + 1)));
  }

  @Override
  public String toString() {
    return connections + "x" + inFlight;
  }
}
