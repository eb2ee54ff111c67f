package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.lsp.documents.TextDocument;
import dev.repartee.lsp.types.LanguageKind;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.TextDocumentItem;
import dev.repartee.mcp.types.ToolException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text in lines. Lines and columns are counted from 1, columns in code points; the positions of
 * LSP from 0, in the units of the server. Immutable.
 */
final class SourceText {
  private final TextDocument document;

  /** The same text with positions in code points. */
  private final TextDocument characters;

  /** {@code encoding} is the encoding of the server. */
  SourceText(String text, PositionEncodingKind encoding) {
    this.document =
        TextDocument.of(new TextDocumentItem("", LanguageKind.of(""), 0, text), encoding);
    this.characters = document.withEncoding(PositionEncodingKind.UTF32);
  }

  /** A replacement of a part of a text. */
  record Replacement(Range range, String text) {}

  String text() {
    return document.text();
  }

  int lines() {
    return document.lineCount();
  }

  /** Returns an existing line, without its end. */
  String line(int number) {
    return text().substring(start(number), end(number));
  }

  /** Returns an existing line, trimmed and truncated to a length. */
  String shown(int number, int longest) {
    String text = text();
    int from = start(number);
    int end = end(number);
    while (from < end && Character.isWhitespace(text.charAt(from))) {
      from++;
    }
    int to = Math.min(end, from + longest + 1);
    return Text.shortened(text.substring(from, to).strip(), longest);
  }

  private int start(int number) {
    return document.offset(new Position(number - 1, 0));
  }

  private int end(int number) {
    return document.offset(new Position(number - 1, Integer.MAX_VALUE));
  }

  /** Returns the position of a column; null if the line or the column does not exist. */
  @Nullable Position position(int line, int column) {
    if (line < 1 || line > lines() || column < 1) {
      return null;
    }
    Position wanted = new Position(line - 1, column - 1);
    int offset = characters.offset(wanted);
    return characters.position(offset).equals(wanted) ? document.position(offset) : null;
  }

  /**
   * Returns the position of the first occurrence of a text as a whole word, else of its first
   * occurrence, else null. The time grows with the product of both lengths.
   *
   * @param line the line to search, which exists; 0 for all lines
   */
  @Nullable Position find(String wanted, int line) {
    String searched = line == 0 ? text() : line(line);
    int part = searched.indexOf(wanted);
    int found = part;
    while (found >= 0 && !isWhole(searched, found, found + wanted.length())) {
      found = searched.indexOf(wanted, found + 1);
    }
    return part < 0
        ? null
        : document.position((line == 0 ? 0 : start(line)) + (found < 0 ? part : found));
  }

  private static boolean isWhole(String text, int start, int end) {
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

  /** Returns the first lines that contain a text. */
  List<Integer> linesWith(String wanted, int most) {
    List<Integer> found = new ArrayList<>();
    for (int i = text().indexOf(wanted); i >= 0 && found.size() < most; ) {
      int number = document.position(i).line() + 1;
      if (i + wanted.length() <= end(number)) {
        found.add(number);
      }
      i = number < lines() ? text().indexOf(wanted, start(number + 1)) : -1;
    }
    return found;
  }

  /** Returns the column of a position; a position after the end of its line counts as the end. */
  int column(Position position) {
    return position.line() < 0 || position.line() >= lines()
        ? 1
        : characters.position(offset(position)).character() + 1;
  }

  /**
   * Returns the text of a range.
   *
   * @throws ToolException if the range lies outside of the text
   */
  String part(Range range) {
    int start = offset(range.start());
    return text().substring(start, Math.max(start, offset(range.end())));
  }

  /** A replacement with offsets. */
  private record Span(int start, int end, String text) {}

  /**
   * Returns the text with all replacements applied simultaneously, as LSP defines it: each range
   * refers to this text.
   *
   * @throws ToolException if replacements overlap, or lie outside of the text
   */
  String with(List<Replacement> replacements) {
    String text = text();
    StringBuilder result = new StringBuilder(text.length());
    int end = 0;
    for (Span next : replacements.stream()
        .map(r -> new Span(offset(r.range().start()), offset(r.range().end()), r.text()))
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

  /** Returns the offset of a position. The line after the last one is the end. */
  private int offset(Position position) {
    int line = position.line();
    if (line < 0 || line > lines() || line == lines() && position.character() != 0) {
      throw new ToolException("The language server sent a position in line " + (line + 1L)
          + " of a file with " + lines() + " lines. Was the file changed meanwhile?"
          + " Nothing was changed; call the tool again.");
    }
    return document.offset(new Position(line, Math.max(0, position.character())));
  }
}
