package dev.repartee.mcp.lsp;

import dev.repartee.lsp.types.Range;
import dev.repartee.mcp.types.ToolException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Describes ranges of files for the result of one call: with the path, the line and the column from
 * 1, and the source line. Text is read only from files of the workspace, and only from a limited
 * number of them. For one thread.
 */
final class Places {
  private static final int MAX_FILES = 100;
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final int LONGEST_LINE = 300;

  private final Session session;
  private final Map<String, Source> sources = new HashMap<>();
  private int read;

  Places(Session session) {
    this.session = session;
  }

  /** A file: its path for results, and its text, or null if it is not read. */
  private record Source(String shown, @Nullable SourceText text) {}

  /** Returns the members of a result that describe a range. */
  Map<String, Object> of(String uri, Range range) {
    Source source = sources.computeIfAbsent(uri, this::source);
    SourceText text = source.text;
    int line = range.start().line();
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("file", source.shown);
    place.put("line", line + 1L);
    place.put("column", text == null ? range.start().character() + 1L : text.column(range.start()));
    place.put("endLine", range.end().line() + 1L);
    place.put("endColumn", text == null ? range.end().character() + 1L : text.column(range.end()));
    if (text != null && line >= 0 && line < text.lines()) {
      place.put("text", text.shown(line + 1, LONGEST_LINE));
    }
    return place;
  }

  private Source source(String uri) {
    Path file = session.workspace().inside(uri);
    if (file == null) {
      return new Source(session.workspace().shown(uri), null);
    }
    SourceText text = session.documents().known(file);
    if (text == null && sources.size() < MAX_FILES && read < MAX_CHARACTERS) {
      try {
        text = new SourceText(session.workspace().read(file).text(), session.encoding());
        read += text.text().length();
      } catch (ToolException e) {
        // The result has only the position, without the line.
      }
    }
    return new Source(session.workspace().shown(file), text);
  }

  /** Returns a readable line: {@code file:line:column}. */
  static String shown(Map<String, Object> place) {
    return place.get("file") + ":" + place.get("line") + ":" + place.get("column");
  }

  /** Returns a readable line: {@code file:line:column: source line}. */
  static String withText(Map<String, Object> place) {
    Object text = place.get("text");
    return shown(place) + (text == null ? "" : ": " + text);
  }
}
