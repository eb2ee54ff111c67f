package dev.repartee.mcp.types;

import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a prompt with a description.
 *
 * @param description a description of the prompt, or null
 * @param messages the messages in order
 */
public record PromptResult(@Nullable String description, List<PromptMessage> messages) {
  /** Copies the messages. */
  public PromptResult {
    messages = List.copyOf(messages);
  }

  /** Returns the members of the result in a revision. */
  public JsonObjectBuilder members(Revision revision) {
    return new JsonObjectBuilder()
        .put("description", description)
        .put(
            "messages", messages.stream().map(message -> message.json(revision)).toList());
  }
}
