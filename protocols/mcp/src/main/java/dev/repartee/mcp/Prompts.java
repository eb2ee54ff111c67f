package dev.repartee.mcp;

import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Serves {@code prompts/get}. */
final class Prompts {
  private final McpServer server;

  Prompts(McpServer server) {
    this.server = server;
  }

  @Nullable Object get(McpCall call, JsonObjectReader params) throws Exception {
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
    return Stages.map(
        prompt.handler().handle(call, arguments),
        messages -> Prompt.result(Objects.requireNonNull(messages)).members(call.revision()));
  }
}
