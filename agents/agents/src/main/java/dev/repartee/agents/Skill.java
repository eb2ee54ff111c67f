package dev.repartee.agents;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A declared skill of an agent: a tool of an MCP server, a method of a JSON-RPC service.
 *
 * @param name the name, as the agent declares it
 * @param description the description, or null
 * @param input the JSON Schema of the input; null if any input is accepted or the schema is unknown
 * @param output the JSON Schema of the output; null if it is unknown
 */
public record Skill(
    String name,
    @Nullable String description,
    @Nullable Json input,
    @Nullable Json output) {
  /** Returns a skill with a name and no further declaration. */
  public static Skill named(String name) {
    return new Skill(name, null, null, null);
  }
}
