package dev.repartee.cli.terminal;

import java.util.List;

/**
 * Shows lines on standard error that change while a command runs. On a terminal each state replaces
 * the previous one. Does nothing if standard error is not a terminal. Thread-safe.
 */
public final class LiveLines {
  /**
   * The maximum number of lines. Limited because a terminal cannot replace lines that have scrolled
   * away.
   */
  private static final int MOST = 20;

  /** Moves the cursor up, and clears the screen from there. */
  private static final String CLEAR = "\u001b[%dA\u001b[J";

  private final Stdio stdio;

  // Guarded by this.
  private int shown;
  private boolean paused;

  public LiveLines(Stdio stdio) {
    this.stdio = stdio;
  }

  /** Returns whether lines can be replaced. */
  public boolean isLive() {
    return stdio.errTerminal();
  }

  /** Replaces all lines. The last line counts the lines that do not fit. */
  public synchronized void show(List<String> lines) {
    if (!isLive() || paused) {
      return;
    }
    int room = lines.size() <= MOST ? lines.size() : MOST - 1;
    int width = Terminal.width() - 1;
    StringBuilder text = new StringBuilder();
    for (String line : lines.subList(0, room)) {
      String visible = Visible.sentence(Visible.escaped(line.stripTrailing()));
      String indent = " ".repeat(line.length() - line.stripLeading().length());
      String whole = indent + visible;
      text.append(whole.length() <= width ? whole : whole.substring(0, width - 3) + "...")
          .append('\n');
    }
    if (room < lines.size()) {
      text.append("... and ").append(lines.size() - room).append(" more\n");
    }
    clear();
    stdio.raw(text.toString());
    shown = room < lines.size() ? room + 1 : room;
  }

  /** Removes the lines and shows none until {@link #resume}, while a person is asked. */
  public synchronized void pause() {
    clear();
    paused = true;
  }

  /** Shows lines again. */
  public synchronized void resume() {
    paused = false;
  }

  /** Removes the lines, so that other output can follow. */
  public synchronized void clear() {
    if (shown > 0) {
      stdio.raw(CLEAR.formatted(shown));
      shown = 0;
    }
  }
}
