package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;

/**
 * A message of a prompt.
 *
 * @param role the speaker
 * @param content the content
 */
public record PromptMessage(Role role, Content content) {
  /** Returns the JSON object in the form of a revision. */
  public Json json(Revision revision) {
    return new JsonObjectBuilder()
        .put("role", role.label())
        .put("content", content.json(revision))
        .build();
  }
}
