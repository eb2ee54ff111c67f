package dev.repartee.mcp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code completion/complete}: values for arguments of prompts and variables of resource
 * templates.
 */
final class Completions {
  /** The maximum number of values in a result (the specification, completion). */
  private static final int MAX = 100;

  private final McpServer server;

  Completions(McpServer server) {
    this.server = server;
  }

  JsonObjectBuilder complete(McpCall call, JsonObjectReader params) throws Exception {
    JsonObjectReader argument = params.object("argument");
    String name = argument.string("name");
    Prompt.Completer completer = completer(params.object("ref"), name);
    Map<String, String> context = params.optionalObject("context").strings("arguments");
    List<String> values =
        completer == null ? List.of() : completer.complete(argument.string("value"), context);
    return new JsonObjectBuilder()
        .put(
            "completion",
            new JsonObjectBuilder()
                .put("values", values.stream().limit(MAX).toList())
                .put("total", values.size())
                .put("hasMore", Json.of(values.size() > MAX))
                .build());
  }

  private Prompt.@Nullable Completer completer(JsonObjectReader ref, String argument) {
    String type = ref.string("type");
    if (type.equals("ref/prompt")) {
      Prompt prompt = server.prompts().find(ref.string("name"));
      if (prompt == null) {
        throw JsonObjectReader.invalid("ref.name: there is no such prompt");
      }
      return prompt.completer(argument);
    } else if (type.equals("ref/resource")) {
      String uri = ref.string("uri");
      ServedTemplate template = server.templates().find(uri);
      if (template == null && server.resources().find(uri) == null) {
        throw JsonObjectReader.invalid("ref.uri: there is no such template or resource");
      }
      return template == null ? null : template.completers.get(argument);
    }
    throw JsonObjectReader.invalid("ref.type: expected ref/prompt or ref/resource");
  }
}
