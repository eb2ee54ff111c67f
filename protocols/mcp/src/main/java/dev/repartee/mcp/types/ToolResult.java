package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a tool.
 *
 * @param content the content for the model
 * @param structured the structured content for programs, or null; an object before 2026-07-28, any
 *     JSON value since then
 * @param isError true if the tool failed and the model should see the failure
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

  /** Returns a result with content only. */
  public static ToolResult of(Content... content) {
    return new ToolResult(Arrays.asList(content), null, false, null);
  }

  /** Returns a result with one text. */
  public static ToolResult text(String text) {
    return of(Content.text(text));
  }

  /** Returns a failure; the text should explain it so that a model can act on it. */
  public static ToolResult error(String text) {
    return new ToolResult(List.of(Content.text(text)), null, true, null);
  }

  /**
   * Returns a result with structured content; the content is the same JSON as text.
   *
   * @param value a value that {@link Json#of} can write
   * @throws IllegalArgumentException if {@link Json#of} cannot write the value
   */
  public static ToolResult structured(Object value) {
    Json json = Json.of(value);
    return new ToolResult(List.of(Content.text(json.toString())), json, false, null);
  }

  /**
   * Returns the members of the result in a revision. Structured content is omitted if the revision
   * does not support it.
   */
  public JsonObjectBuilder members(Revision revision) {
    boolean told = structured != null
        && (revision.isStateless()
            || revision.isAtLeast(Revision.V2025_06_18) && structured.kind() == Json.Kind.OBJECT);
    return new JsonObjectBuilder()
        .put("content", content.stream().map(part -> part.json(revision)).toList())
        .put("structuredContent", told ? structured : null)
        .flag("isError", isError)
        .put("_meta", meta);
  }
}
