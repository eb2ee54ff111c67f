package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes tools in the forms of model APIs. */
final class ToolForms {
  private ToolForms() {}

  /**
   * Returns tools in the form of a model API.
   *
   * @param tools the tools with the names to use
   */
  static Json of(ModelApi api, List<Map.Entry<String, RemoteTool>> tools) {
    List<Json> entries =
        tools.stream().map(entry -> of(api, entry.getKey(), entry.getValue())).toList();
    return api == ModelApi.GEMINI
        ? Json.of(Map.of("functionDeclarations", entries))
        : Json.of(entries);
  }

  private static Json of(ModelApi api, String name, RemoteTool tool) {
    String description = tool.description() == null ? tool.title() : tool.description();
    JsonObjectBuilder entry = new JsonObjectBuilder();
    return switch (api) {
      case MCP -> JsonObjectBuilder.of(tool.json()).put("name", name).build();
      case ANTHROPIC ->
        named(entry, name, description).put("input_schema", tool.input()).build();
      case OPENAI ->
        named(entry.put("type", "function"), name, description)
            .put("parameters", tool.input())
            .build();
      case OPENAI_CHAT ->
        entry
            .put("type", "function")
            .put(
                "function",
                named(new JsonObjectBuilder(), name, description)
                    .put("parameters", tool.input())
                    .build())
            .build();
      case GEMINI ->
        named(entry, name, description)
            .put("parametersJsonSchema", tool.input())
            .build();
    };
  }

  private static JsonObjectBuilder named(
      JsonObjectBuilder entry, String name, @Nullable String description) {
    return entry.put("name", name).put("description", description);
  }
}
