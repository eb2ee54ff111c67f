package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a tool answers: for a model to read, and for programs to use.
 *
 * @param content what a model reads
 * @param structured what programs use, or null; an object before 2026-07-28, any JSON since
 * @param isError whether the tool failed, in a way that a model should know of
 * @param meta further members for {@code _meta}, an object, or null
 */
@Wired
public record ToolResult(
    List<Content> content,
    @Nullable Json structured,
    boolean isError,
    @Nullable Json meta) {
  /** Copies the content. */
  public ToolResult {
    content = List.copyOf(content);
  }

  /** Content alone. */
  public static ToolResult of(Content... content) {
    return new ToolResult(Arrays.asList(content), null, false, null);
  }

  /** A text alone. */
  public static ToolResult text(String text) {
    return of(Content.text(text));
  }

  /** A failure that a model should know of, in words that it can act on. */
  public static ToolResult error(String text) {
    return new ToolResult(List.of(Content.text(text)), null, true, null);
  }

  /**
   * A value that {@link Json#of} can write, for programs; a model reads the same as a text.
   *
   * @throws IllegalArgumentException for a value that nothing knows how to write
   */
  public static ToolResult structured(Object value) {
    Json json = Json.of(value);
    return new ToolResult(List.of(Content.text(json.toString())), json, false, null);
  }

  /** What a handler returned, whatever it is. */
  static ToolResult of(@Nullable Object value) {
    if (value instanceof ToolResult result) {
      return result;
    } else if (value instanceof Content content) {
      return of(new Content[] {content});
    } else if (value instanceof List<?> list && list.stream().allMatch(Content.class::isInstance)) {
      return new ToolResult(list.stream().map(Content.class::cast).toList(), null, false, null);
    } else if (value instanceof CharSequence text) {
      return text(text.toString());
    }
    return value == null ? of(new Content[0]) : structured(value);
  }

  /** The members of its form on the wire: what is not an object only where the revision takes it. */
  Members members(Revision revision) {
    boolean told = structured != null
        && (revision.isStateless()
            || revision.isAtLeast(Revision.V2025_06_18) && structured.kind() == Json.Kind.OBJECT);
    return new Members()
        .put("content", content.stream().map(part -> part.json(revision)).toList())
        .put("structuredContent", told ? structured : null)
        .flag("isError", isError)
        .put("_meta", meta);
  }
}
