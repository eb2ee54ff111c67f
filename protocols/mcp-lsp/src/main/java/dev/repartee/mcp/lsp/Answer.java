package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a tool: a text, and the same content in structured form. Every tool returns an
 * answer, and only {@link #result} creates the result from it. Therefore each result of a busy
 * server reports that the server is busy. Not thread-safe.
 */
final class Answer {
  private final @Nullable String activity;
  private final Map<String, Object> structured = new LinkedHashMap<>();
  private String text = "";

  /**
   * Creates an answer after the server has answered. Reads here, once, whether the server is busy.
   */
  Answer(Session session) {
    this.activity = session.activity();
  }

  /** Returns whether the server is busy; then this answer may be incomplete. */
  boolean isBusy() {
    return activity != null;
  }

  /** Adds a member of the structured content. */
  Answer with(String name, Object value) {
    structured.put(name, value);
    return this;
  }

  /** Sets the text. */
  Answer text(String text) {
    this.text = text;
    return this;
  }

  /** Returns the result of the tool. */
  ToolResult result() {
    if (activity == null) {
      return result(text);
    }
    structured.put("busy", activity);
    return result(text + "\n\nThe language server is still busy (" + activity
        + "), so this may be incomplete. Call the tool again later if something is missing.");
  }

  private ToolResult result(String shown) {
    return new ToolResult(List.of(Content.text(shown)), Json.of(structured), false, null);
  }
}
