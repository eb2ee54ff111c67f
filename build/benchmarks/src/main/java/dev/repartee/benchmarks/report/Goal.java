package dev.repartee.benchmarks.report;

/**
 * A goal of Repartee, and its result in one run.
 *
 * @param text a short description
 * @param figure the definition of the figure: one cell as a multiple of another
 * @param bound the goal
 * @param measured the result
 * @param beside the result of another comparison, or empty
 * @param tried the attempts to reach the goal and the reason for the miss; reported for missed
 *     goals
 */
public record Goal(
    String text, String figure, Bound bound, double measured, String beside, String tried) {
  /**
   * The bound of a figure.
   *
   * @param value the bound, which is still sufficient
   * @param most true for an upper bound, false for a lower bound
   * @param unit the unit, or empty
   */
  public record Bound(double value, boolean most, String unit) {
    public static Bound atLeast(double value) {
      return new Bound(value, false, "");
    }

    public static Bound atMost(double value, String unit) {
      return new Bound(value, true, unit);
    }

    boolean holds(double figure) {
      return most ? figure <= value : figure >= value;
    }

    public String said(double figure) {
      String number = Math.abs(figure) >= 100 || figure == Math.rint(figure)
          ? Text.of("%,.0f", figure)
          : Text.of(Math.abs(figure) >= 10 ? "%.1f" : "%.2f", figure);
      return unit.isEmpty() ? number : number + " " + unit;
    }

    @Override
    public String toString() {
      return (most ? "at most " : "at least ") + said(value);
    }
  }

  boolean isReached() {
    return bound.holds(measured);
  }

  /** Returns the result, formatted for the table. */
  public String said() {
    return bound.said(measured);
  }
}
