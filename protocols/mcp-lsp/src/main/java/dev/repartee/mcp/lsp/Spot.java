package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.lsp.types.Position;
import dev.repartee.mcp.types.ToolException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A position from a model: a line with a column, or with the text at the position.
 *
 * @param line the line from 1, or 0 if it is missing
 * @param column the column from 1, or 0 if it is missing
 */
record Spot(int line, int column, @Nullable String symbol) {
  /** The maximum length of the symbol: the time to find it grows with its length. */
  static final int MAX_SYMBOL = 1_000;

  private static final int MAX_HINTS = 5;

  /** Reads the arguments of a tool. */
  static Spot of(Json arguments) {
    Json symbol = arguments.get("symbol");
    Spot spot = new Spot(
        number(arguments, "line"),
        number(arguments, "column"),
        symbol == null ? null : symbol.as(String.class));
    if (spot.symbol == null && (spot.line == 0 || spot.column == 0)) {
      throw new ToolException("Say where: give 'line' and 'symbol', or 'line' and 'column'.");
    }
    if (spot.symbol != null && spot.symbol.codePointCount(0, spot.symbol.length()) > MAX_SYMBOL) {
      throw new ToolException("'symbol' has more than " + MAX_SYMBOL
          + " characters; give the name at the position only.");
    }
    return spot;
  }

  private static int number(Json arguments, String name) {
    Json number = arguments.get(name);
    return number == null ? 0 : number.as(int.class);
  }

  /**
   * Returns the position in a document.
   *
   * @throws ToolException if it is not in the document
   */
  Position in(Documents.Document document, String name) {
    SourceText text = document.text();
    if (line > text.lines()) {
      throw new ToolException(
          "'" + name + "' has " + text.lines() + " lines; there is no line " + line + ".");
    }
    if (symbol == null) {
      Position position = text.position(line, column);
      if (position == null) {
        throw new ToolException("Line " + line + " of '" + name + "' has no column " + column
            + ". It is: " + Text.shortened(text.line(line), 300));
      }
      return position;
    }
    Position position = text.find(symbol, line);
    if (position == null) {
      String shown = Text.shortened(symbol, 100);
      throw new ToolException(
          line == 0
              ? "'" + name + "' does not contain '" + shown + "'."
              : "Line " + line + " of '" + name + "' does not contain '" + shown + "'. It is: "
                  + Text.shortened(text.line(line), 300) + hint(text, symbol));
    }
    return position;
  }

  /** Returns a sentence with the lines that contain the symbol. */
  private static String hint(SourceText text, String symbol) {
    List<Integer> lines = text.linesWith(symbol, MAX_HINTS + 1);
    if (lines.isEmpty()) {
      return "\nNo other line contains it.";
    }
    boolean more = lines.size() > MAX_HINTS;
    return "\nThese lines contain it: "
        + lines.subList(0, more ? MAX_HINTS : lines.size()).toString().replaceAll("[\\[\\]]", "")
        + (more ? ", ..." : "");
  }
}
