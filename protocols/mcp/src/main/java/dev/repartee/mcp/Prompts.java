package dev.repartee.mcp;

import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** Serves {@code prompts/get}. */
final class Prompts {
  private final McpServer server;

  Prompts(McpServer server) {
    this.server = server;
  }

  Object get(McpCall call, JsonObjectReader params) throws Exception {
    String name = params.string("name");
    Prompt prompt = server.prompts().find(name);
    if (prompt == null) {
      throw JsonObjectReader.invalid(
          "there is no prompt '" + name + "'; prompts/list names all prompts");
    }
    Map<String, String> arguments = params.strings("arguments");
    List<String> missing = prompt.missing(arguments);
    if (!missing.isEmpty()) {
      throw JsonObjectReader.invalid("missing: arguments." + String.join(", arguments.", missing));
    }
    Object value = prompt.handler().handle(call, arguments);
    return value instanceof CompletionStage<?> stage
        ? stage.thenApply(
            messages -> Prompt.members(Objects.requireNonNull(messages), call.revision()))
        : Prompt.members(value, call.revision());
  }
}
