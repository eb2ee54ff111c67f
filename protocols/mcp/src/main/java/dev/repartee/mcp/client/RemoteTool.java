package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A tool of a server. Immutable, except for the schema of its results, which is prepared once, with
 * the first result.
 */
public final class RemoteTool {
  private final Json json;

  RemoteTool(Json json) {
    this.json = json;
  }

  /** Returns the name. */
  public String name() {
    return "";
  }

  /** Returns the display name, or null. */
  public @Nullable String title() {
    return null;
  }

  /** Returns the description for the model, or null. */
  public @Nullable String description() {
    return null;
  }

  /** Returns the JSON Schema of the arguments, as the server sent it. */
  public Json input() {
    return json;
  }

  /** Returns the JSON Schema of structured results, as the server sent it; null if there is none. */
  public @Nullable Json output() {
    return null;
  }

  /**
   * Returns {@code readOnlyHint}: whether the tool changes nothing. The hints are those of the
   * server and not verified.
   */
  public boolean isReadOnly() {
    return false;
  }

  /** Returns {@code destructiveHint}: whether the changes of the tool may be destructive. */
  public boolean isDestructive() {
    return true;
  }

  /** Returns {@code idempotentHint}: whether a repeated call has no further effect. */
  public boolean isIdempotent() {
    return false;
  }

  /** Returns {@code openWorldHint}: whether the tool deals with an open world. */
  public boolean isOpenWorld() {
    return true;
  }

  /** Returns the whole entry of {@code tools/list}, as the server sent it. */
  public Json json() {
    return json;
  }
}
