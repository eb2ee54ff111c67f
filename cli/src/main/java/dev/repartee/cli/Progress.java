package dev.repartee.cli;

import dev.repartee.Json;
import java.io.PrintStream;

/**
 * Shows progress on standard error: one line that is written over where somebody looks, a line each
 * else. Thread-safe.
 */
final class Progress {
  /** A terminal is seldom narrower; one that is would break the line, which \r cannot take back. */
  private static final int WIDTH = 79;

  private final PrintStream err;
  private final boolean terminal;
  private int shown;

  Progress(Stdio stdio) {
    this.err = stdio.err();
    this.terminal = stdio.errTerminal();
  }

  synchronized void show(Json value) {
    String line = "progress: " + Layout.ONE_LINE.text(value);
    if (!terminal) {
      err.println(line);
      return;
    }
    replace(line);
  }

  /** Shows a line in the place of the last one, to somebody who looks. */
  synchronized void replace(String line) {
    if (!terminal) {
      return;
    }
    String fitting = line.length() <= WIDTH ? line : line.substring(0, WIDTH - 3) + "...";
    err.print("\r" + fitting + " ".repeat(Math.max(0, shown - fitting.length())));
    err.flush();
    shown = fitting.length();
  }

  /** Takes the line away that would be written over. */
  synchronized void clear() {
    if (shown > 0) {
      err.print("\r" + " ".repeat(shown) + "\r");
      err.flush();
      shown = 0;
    }
  }

  /** Ends the line that would be written over: something else is to be shown. */
  synchronized void end() {
    if (shown > 0) {
      err.println();
      shown = 0;
    }
  }
}
