package dev.repartee.cli.terminal;

import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Shows progress on standard error. On a terminal it overwrites one line; otherwise it writes one
 * line for each update. Thread-safe.
 */
public final class Progress {
  /** The longest line, in characters, on a terminal that is wide enough. */
  private static final int WIDTH = 79;

  private final Stdio stdio;
  private final IntSupplier columns;
  /**
   * The longest line, in characters, or 0 before the first line. A line that fills the terminal
   * would wrap, and {@code \r} returns only to the start of the last row. Guarded by this object.
   */
  private int width;
  /** The length of the line on the terminal, or 0. Guarded by this object. */
  private int shown;

  public Progress(Stdio stdio) {
    this(stdio, Terminal::width);
  }

  /** Makes a line on a terminal with that number of columns. */
  public Progress(Stdio stdio, IntSupplier columns) {
    this.stdio = stdio;
    this.columns = columns;
  }

  public synchronized void show(Json value) {
    if (stdio.errTerminal()) {
      replace("progress: " + JsonLayout.ONE_LINE.text(value));
    } else {
      stdio.note("progress: ", value);
    }
  }

  /** Shows a line. On a terminal it replaces the previous line. */
  public synchronized void show(String line) {
    if (stdio.errTerminal()) {
      replace(line);
    } else {
      stdio.note(line);
    }
  }

  /** Replaces the line on a terminal. Does nothing if standard error is not a terminal. */
  public synchronized void replace(String line) {
    if (!stdio.errTerminal()) {
      return;
    }
    if (width == 0) {
      width = Math.min(WIDTH, columns.getAsInt() - 1);
    }
    String visible = Visible.sentence(Visible.escaped(line));
    String fitting = visible.length() <= width ? visible : visible.substring(0, width - 3) + "...";
    stdio.overwrite(fitting + " ".repeat(Math.max(0, shown - fitting.length())));
    shown = fitting.length();
  }

  /**
   * Shows a state that changes over time. On a terminal, shows it once, and the caller shows each
   * change with {@link #replace}. In a log, repeats the current state at a fixed interval during a
   * long wait.
   *
   * @param period the interval in a log
   * @return stops showing the state
   */
  public Runnable tell(Supplier<String> state, Duration period) {
    if (stdio.errTerminal()) {
      replace(state.get());
      return this::clear;
    }
    Thread teller = Threads.daemon("progress", () -> repeat(state, period));
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
      // Stopped by the caller of tell().
    }
  }

  /** Erases the line on the terminal. */
  public synchronized void clear() {
    if (shown > 0) {
      stdio.overwrite(" ".repeat(shown) + "\r");
      shown = 0;
    }
  }

  /** Ends the line on the terminal. Other output then starts on a new line. */
  public synchronized void end() {
    if (shown > 0) {
      stdio.endLine();
      shown = 0;
    }
  }
}
