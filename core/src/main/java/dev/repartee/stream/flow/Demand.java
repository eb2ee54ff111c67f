package dev.repartee.stream.flow;

/** The arithmetic of demand. For the engine. */
public final class Demand {
  private Demand() {}

  /** Returns the sum of two numbers that are not negative, {@link Long#MAX_VALUE} at most. */
  public static long add(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
