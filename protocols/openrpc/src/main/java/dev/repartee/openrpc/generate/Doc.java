package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text about a part of the document. Lines end with a line feed and have no space at their end;
 * an empty line separates paragraphs. No other control characters.
 */
record Doc(String text, boolean deprecated) {
  static final Doc NONE = new Doc("", false);

  /**
   * Returns the text about a schema: its title, description, pattern and default.
   *
   * @param name the name of the value; an equal title is left out
   */
  static Doc ofSchema(Json schema, String name) {
    return ofSchema(schema, name, null, null, false);
  }

  /**
   * Returns the text about a value with a schema.
   *
   * @param name the name of the value; an equal title is left out
   * @param summary the text about the value itself, before the texts of the schema
   */
  static Doc ofSchema(
      Json schema,
      String name,
      @Nullable String summary,
      @Nullable String description,
      boolean deprecated) {
    if (schema.kind() != Json.Kind.OBJECT) {
      return of(deprecated, summary, description);
    }
    List<@Nullable String> parts = new ArrayList<>();
    parts.add(summary);
    parts.add(description);
    if (description == null || description.isBlank()) {
      parts.add(summary == null || summary.isBlank() ? title(schema, name) : null);
      parts.add(schema.string("description"));
    }
    String pattern = schema.string("pattern");
    parts.add(pattern == null ? null : "Pattern: `" + pattern + '`');
    Json fallback = schema.get("default");
    parts.add(fallback == null ? null : "Default: `" + fallback + '`');
    boolean marked = deprecated || Json.TRUE.equals(schema.get("deprecated"));
    return of(marked, parts.toArray(String[]::new));
  }

  private static @Nullable String title(Json schema, String name) {
    String title = schema.string("title");
    return title != null && Words.snake(title).equals(Words.snake(name)) ? null : title;
  }

  /** Returns the given paragraphs without nulls, blanks and repetitions. */
  static Doc of(boolean deprecated, @Nullable String... paragraphs) {
    List<String> distinct = new ArrayList<>();
    for (String paragraph : paragraphs) {
      String clean = paragraph == null ? "" : cleaned(paragraph);
      if (!clean.isEmpty() && !distinct.contains(clean)) {
        distinct.add(clean);
      }
    }
    return new Doc(String.join("\n\n", distinct), deprecated);
  }

  private static String cleaned(String text) {
    StringBuilder clean = new StringBuilder();
    int blanks = 0;
    for (String line : text.strip().split("\\R", -1)) {
      String printable =
          line.replace("\t", "  ").replaceAll("\\p{Cc}|\\p{Cf}", "").stripTrailing();
      blanks = printable.isEmpty() ? blanks + 1 : 0;
      if (blanks < 2) {
        clean.append(printable).append('\n');
      }
    }
    return clean.toString().strip();
  }

  /**
   * Returns whether a character makes source code look different from its content: it ends a line,
   * or changes the direction of the text.
   */
  static boolean isInvisible(char c) {
    return c == 0x85 || c == 0x2028 || c == 0x2029 || Character.getType(c) == Character.FORMAT;
  }

  boolean isEmpty() {
    return text.isEmpty();
  }

  /** Returns the text up to the end of its first sentence or paragraph, in one line. */
  String first() {
    int end = text.indexOf("\n\n");
    String paragraph = (end < 0 ? text : text.substring(0, end)).replace('\n', ' ');
    int stop = paragraph.indexOf(". ");
    return stop < 0 ? paragraph : paragraph.substring(0, stop + 1);
  }

  /** Returns the text in one line. */
  String line() {
    return text.replaceAll("([^.:;])\\n\\n", "$1. ").replaceAll("\\s+", " ");
  }
}
