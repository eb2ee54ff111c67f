package dev.repartee.conformance;

import java.util.Collections;
import java.util.List;

/** Writes a table that is aligned as plain text and valid Markdown. */
final class Table {
  /** The greatest width to which a column is padded; longer cells exceed it. */
  private static final int WIDTH = 60;

  private Table() {}

  static void write(StringBuilder text, List<String> head, List<List<String>> rows) {
    int[] widths = new int[head.size()];
    measure(widths, head);
    rows.forEach(row -> measure(widths, row));
    line(text, widths, head);
    line(text, widths, Collections.nCopies(widths.length, "---"));
    rows.forEach(row -> line(text, widths, row));
  }

  private static void measure(int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.min(WIDTH, Math.max(widths[i], cell(row.get(i)).length()));
    }
  }

  private static void line(StringBuilder text, int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      String cell = cell(row.get(i));
      text.append("| ").append(cell);
      text.append(" ".repeat(Math.max(0, widths[i] - cell.length()) + 1));
    }
    text.append("|\n");
  }

  private static String cell(String text) {
    return text.replace('\n', ' ').replace("|", "\\|");
  }
}
