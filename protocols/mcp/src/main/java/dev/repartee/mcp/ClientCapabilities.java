package dev.repartee.mcp;

import dev.repartee.Json;
import org.jspecify.annotations.Nullable;

/**
 * What a client declares that it can do.
 *
 * @param json the declaration, an object
 */
public record ClientCapabilities(Json json) {
  /** Nothing. */
  static final ClientCapabilities NONE = new ClientCapabilities(Json.EMPTY_OBJECT);

  /** Whether it tells its roots. */
  public boolean roots() {
    return json.get("roots") != null;
  }

  /** Whether it has a model answer. */
  public boolean sampling() {
    return json.get("sampling") != null;
  }

  /** Whether the model that it has answer may be given tools (from 2025-11-25 on). */
  public boolean samplingTools() {
    Json sampling = json.get("sampling");
    return sampling != null && sampling.get("tools") != null;
  }

  /** Whether it shows forms to its user. */
  public boolean elicitation() {
    Json elicitation = json.get("elicitation");
    return elicitation != null
        && (elicitation.get("form") != null || elicitation.get("url") == null);
  }

  /** Whether it sends its user to a page. */
  public boolean urlElicitation() {
    Json elicitation = json.get("elicitation");
    return elicitation != null && elicitation.get("url") != null;
  }

  /** The settings of the extension of that name, or null where it is not declared. */
  public @Nullable Json extension(String name) {
    Json extensions = json.get("extensions");
    return extensions == null ? null : extensions.get(name);
  }
}
