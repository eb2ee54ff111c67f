package dev.repartee.cli.terminal;

import java.math.BigDecimal;

/** Reports elapsed times on standard error, if {@code -v} is given. */
public final class Stopwatch {
  private final Stdio stdio;
  private final boolean on;
  private long start = System.nanoTime();

  public Stopwatch(Stdio stdio, boolean on) {
    this.stdio = stdio;
    this.on = on;
  }

  /** Reports the time since the creation or the last lap, as in {@code connected in 1.2 ms}. */
  public void lap(String what) {
    long now = System.nanoTime();
    if (on) {
      stdio.note(what + " in " + millis(now - start) + " ms");
    }
    start = System.nanoTime();
  }

  public static String millis(long nanos) {
    return BigDecimal.valueOf((nanos + 50_000) / 100_000, 1).toString();
  }
}
