package dev.repartee.cli;

import dev.repartee.Json;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Shows progress on standard error: one line that is written over where somebody looks, a line each
 * else. Thread-safe.
 */
final class Progress {
  /** A terminal is seldom narrower; one that is would break the line, which \r cannot take back. */
  private static final int WIDTH = 79;

  private final Stdio stdio;
  private int shown;

  Progress(Stdio stdio) {
    this.stdio = stdio;
  }

  synchronized void show(Json value) {
    if (stdio.errTerminal()) {
      replace("progress: " + Layout.ONE_LINE.text(value));
    } else {
      stdio.note("progress: ", value);
    }
  }

  /** Shows a line in the place of the last one, to somebody who looks. */
  synchronized void replace(String line) {
    if (!stdio.errTerminal()) {
      return;
    }
    String visible = Visible.sentence(Visible.escaped(line));
    String fitting = visible.length() <= WIDTH ? visible : visible.substring(0, WIDTH - 3) + "...";
    stdio.overwrite(fitting + " ".repeat(Math.max(0, shown - fitting.length())));
    shown = fitting.length();
  }

  /**
   * Shows a state that changes: at once on a terminal, where whoever changes it shows the next one, and
   * again and again in a log, so that a wait is never silent there.
   *
   * @return ends that
   */
  Runnable tell(Supplier<String> state, Duration period) {
    if (stdio.errTerminal()) {
      replace(state.get());
      return this::clear;
    }
    Thread teller = new Thread(() -> repeat(state, period), "progress");
    teller.setDaemon(true);
    teller.start();
    return teller::interrupt;
  }

  private void repeat(Supplier<String> state, Duration period) {
    try {
      while (true) {
        Thread.sleep(period.toMillis());
        stdio.note("progress: " + state.get());
      }
    } catch (InterruptedException e) {
      // There is nothing more to tell.
    }
  }

  /** Takes the line away that would be written over. */
  synchronized void clear() {
    if (shown > 0) {
      stdio.overwrite(" ".repeat(shown) + "\r");
      shown = 0;
    }
  }

  /** Ends the line that would be written over: something else is to be shown. */
  synchronized void end() {
    if (shown > 0) {
      stdio.endLine();
      shown = 0;
    }
  }
}
