package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities that a client has declared.
 *
 * @param json the declaration, an object
 */
public record ClientCapabilities(Json json) {
  /** No capabilities. */
  public static final ClientCapabilities NONE = new ClientCapabilities(Json.EMPTY_OBJECT);

  /** Returns whether the client supports roots. */
  public boolean roots() {
    return json.get("roots") != null;
  }

  /** Returns whether the client supports sampling. */
  public boolean sampling() {
    return json.get("sampling") != null;
  }

  /** Returns whether the client supports tools in sampling (from 2025-11-25 on). */
  public boolean samplingTools() {
    Json sampling = json.get("sampling");
    return sampling != null && sampling.get("tools") != null;
  }

  /**
   * Returns whether the client supports elicitation in form mode. A declaration without a mode
   * means form mode.
   */
  public boolean elicitation() {
    Json elicitation = json.get("elicitation");
    return elicitation != null
        && (elicitation.get("form") != null || elicitation.get("url") == null);
  }

  /** Returns whether the client supports elicitation in URL mode. */
  public boolean urlElicitation() {
    Json elicitation = json.get("elicitation");
    return elicitation != null && elicitation.get("url") != null;
  }

  /** Returns the settings of an extension, or null if the client has not declared it. */
  public @Nullable Json extension(String name) {
    Json extensions = json.get("extensions");
    return extensions == null ? null : extensions.get(name);
  }
}
