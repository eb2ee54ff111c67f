package dev.repartee.benchmarks;

import java.util.Locale;

/**
 * What Repartee has to reach, and what it has reached in one run.
 *
 * @param text what it is of
 * @param figure how the figure comes about: which cell, as a multiple of which
 * @param bound what it has to be
 * @param measured what it is
 * @param beside the same held against something else, or empty
 * @param tried what was done for it and why it is not reached all the same: told only then
 */
record Goal(String text, String figure, Bound bound, double measured, String beside, String tried) {
  /**
   * What a figure has to be.
   *
   * @param value the last that will do
   * @param most whether a smaller one is better
   * @param unit behind the figure, or empty
   */
  record Bound(double value, boolean most, String unit) {
    static Bound atLeast(double value) {
      return new Bound(value, false, "");
    }

    static Bound atMost(double value, String unit) {
      return new Bound(value, true, unit);
    }

    boolean holds(double figure) {
      return most ? figure <= value : figure >= value;
    }

    String said(double figure) {
      String number = Math.abs(figure) >= 100 || figure == Math.rint(figure)
          ? String.format(Locale.ROOT, "%,.0f", figure)
          : String.format(Locale.ROOT, Math.abs(figure) >= 10 ? "%.1f" : "%.2f", figure);
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

  /** The figure, as the table shows it. */
  String said() {
    return bound.said(measured);
  }
}
