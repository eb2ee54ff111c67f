package dev.repartee.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows in columns. The last column is cut to the width of the terminal. */
public final class Table {
  /** The maximum number of characters to which a cell widens its column. */
  private static final int WIDEST = 40;

  /** The minimum width of the last column. */
  private static final int LEAST = 20;

  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  /** Adds a row; each has the same number of cells. A cell becomes one line. */
  public void row(@Nullable String... cells) {
    List<String> row = new ArrayList<>();
    for (String cell : cells) {
      row.add(cell == null ? "" : Visible.sentence(cell));
    }
    rows.add(row);
  }

  /** Returns whether the table has no rows. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns the lines, without a line end after the last one. */
  public String text(int width) {
    List<String> lines = new ArrayList<>();
    int[] widths = new int[rows.isEmpty() ? 0 : rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length - 1; i++) {
        widths[i] = Math.max(widths[i], Math.min(WIDEST, length(row.get(i))));
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      int shown = 0;
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        boolean last = i == row.size() - 1;
        String text = last ? cut(cell, Math.max(LEAST, width - shown)) : cell;
        line.append(text);
        shown += length(text);
        if (!last) {
          int missing = Math.max(0, widths[i] - length(text));
          line.append(" ".repeat(missing)).append(GAP);
          shown += missing + GAP.length();
        }
      }
      lines.add(line.toString().stripTrailing());
    }
    return String.join("\n", lines);
  }

  /** Returns a text of at most that many characters, with dots at the end if it was longer. */
  public static String cut(String text, int width) {
    return length(text) <= width
        ? text
        : text.substring(0, text.offsetByCodePoints(0, width - 3)).stripTrailing() + "...";
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
