package dev.repartee.mcp.lsp;

import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.mcp.ToolException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text in lines. Lines and columns are counted from 1, columns in code points; offsets and the
 * positions of LSP from 0. Immutable.
 */
final class SourceText {
  private final String text;

  /** The offsets at which the lines start. */
  private final int[] starts;

  SourceText(String text) {
    this.text = text;
    int[] found = new int[16];
    int lines = 1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
      if (c == '\n' || c == '\r' && !pair) {
        if (lines == found.length) {
          found = Arrays.copyOf(found, 2 * lines);
        }
        found[lines++] = i + 1;
      }
    }
    this.starts = Arrays.copyOf(found, lines);
  }

  /** A replacement of a part of a text. */
  record Replacement(Range range, String text) {}

  String text() {
    return text;
  }

  int lines() {
    return starts.length;
  }

  /** Returns a line that exists, without its end. */
  String line(int number) {
    return text.substring(starts[number - 1], end(number));
  }

  private int end(int number) {
    int start = starts[number - 1];
    int end = number == starts.length ? text.length() : starts[number];
    while (end > start && (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r')) {
      end--;
    }
    return end;
  }

  /** Returns the position of a column; null if the line or the column does not exist. */
  @Nullable Position position(int line, int column, Encoding encoding) {
    if (line < 1 || line > starts.length || column < 1) {
      return null;
    }
    int start = starts[line - 1];
    int end = end(line);
    return column - 1 > text.codePointCount(start, end)
        ? null
        : at(text.offsetByCodePoints(start, column - 1), line, encoding);
  }

  /**
   * Returns the position of the first occurrence of a text, as a whole word if there is one; null
   * if there is none.
   *
   * @param line the line to search, which exists; 0 for all lines
   */
  @Nullable Position find(String wanted, int line, Encoding encoding) {
    int from = line == 0 ? 0 : starts[line - 1];
    int to = line == 0 ? text.length() : end(line);
    int part = -1;
    for (int i = text.indexOf(wanted, from);
        i >= 0 && i + wanted.length() <= to;
        i = text.indexOf(wanted, i + 1)) {
      if (isWhole(i, i + wanted.length())) {
        part = i;
        break;
      }
      part = part < 0 ? i : part;
    }
    if (part < 0) {
      return null;
    }
    int found = Arrays.binarySearch(starts, part);
    return at(part, found < 0 ? -found - 1 : found + 1, encoding);
  }

  private boolean isWhole(int start, int end) {
    boolean begins =
        start == 0 || !isWord(text.codePointBefore(start)) || !isWord(text.codePointAt(start));
    return begins
        && (end == text.length()
            || !isWord(text.codePointAt(end))
            || !isWord(text.codePointBefore(end)));
  }

  private static boolean isWord(int character) {
    return Character.isUnicodeIdentifierPart(character) || character == '$';
  }

  private Position at(int offset, int line, Encoding encoding) {
    return new Position(line - 1, encoding.units(text, starts[line - 1], offset));
  }

  /** Returns the column of a position; one behind the end of its line counts as the end. */
  int column(Position position, Encoding encoding) {
    int line = position.line();
    if (line < 0 || line >= starts.length) {
      return 1;
    }
    int start = starts[line];
    int index = encoding.index(text, start, end(line + 1), position.character());
    return text.codePointCount(start, index) + 1;
  }

  /**
   * Returns the text of a range.
   *
   * @throws ToolException if the range lies outside of the text
   */
  String part(Range range, Encoding encoding) {
    int start = offset(range.start(), encoding);
    return text.substring(start, Math.max(start, offset(range.end(), encoding)));
  }

  /** A replacement with offsets. */
  private record Span(int start, int end, String text) {}

  /**
   * Returns the text with all replacements made at once, as LSP defines it: each range refers to
   * this text.
   *
   * @throws ToolException if replacements overlap, or lie outside of the text
   */
  String with(List<Replacement> replacements, Encoding encoding) {
    StringBuilder result = new StringBuilder();
    int end = 0;
    for (Span next : replacements.stream()
        .map(r -> new Span(
            offset(r.range().start(), encoding), offset(r.range().end(), encoding), r.text()))
        .sorted(Comparator.comparingInt(Span::start))
        .toList()) {
      if (next.start < end || next.end < next.start) {
        throw new ToolException("The language server sent an edit with parts that overlap or are"
            + " reversed. Nothing was changed.");
      }
      result.append(text, end, next.start).append(next.text);
      end = next.end;
    }
    return result.append(text, end, text.length()).toString();
  }

  /** Returns the offset of a position. That of the line behind the last one is the end. */
  private int offset(Position position, Encoding encoding) {
    int line = position.line();
    if (line == starts.length && position.character() == 0) {
      return text.length();
    } else if (line < 0 || line >= starts.length) {
      throw new ToolException("The language server sent a position in line " + (line + 1L)
          + " of a file with " + starts.length + " lines. Was the file changed meanwhile?"
          + " Nothing was changed; call the tool again.");
    }
    return encoding.index(text, starts[line], end(line + 1), position.character());
  }
}
