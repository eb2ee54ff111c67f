package dev.repartee.cli.openrpc;

import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes the tools of an MCP server as methods. The member {@code x-mcp} marks them. */
final class ToolServer {
  private ToolServer() {}

  /**
   * Returns the document.
   *
   * @param info the name and version of the server, as it states them
   * @param tools the tools as {@code tools/list} lists them
   */
  static Json document(@Nullable Json info, List<Json> tools) {
    Described document = new Described(info);
    for (Json tool : tools) {
      String toolName = tool.string("name");
      if (toolName != null) {
        document.add(toolName, method(toolName, tool, document));
      }
    }
    return document.json();
  }

  private static JsonObjectBuilder method(String name, Json tool, Described document) {
    Json input = moved(tool.get("inputSchema"), name + ".input", document);
    Json output = moved(tool.get("outputSchema"), name + ".output", document);
    Json required = input.get("required");
    Set<String> names = required == null
        ? Set.of()
        : required.elements().stream().map(Json::text).collect(Collectors.toSet());
    List<Json> params = new ArrayList<>();
    Json properties = input.get("properties");
    if (properties != null) {
      properties
          .members()
          .forEach(
              (each, schema) -> params.add(Described.param(each, names.contains(each), schema)));
    }
    return new JsonObjectBuilder()
        .put("description", description(tool))
        .put("paramStructure", "by-name")
        .put("params", params)
        .put("result", Described.result(output))
        .flag("x-mcp", true);
  }

  private static @Nullable String description(Json tool) {
    String description = tool.string("description");
    return description == null ? tool.string("title") : description;
  }

  /**
   * Returns a schema of a tool with its references changed to ones into the document. A schema with
   * references becomes a component, in which they have their targets.
   */
  private static Json moved(@Nullable Json schema, String name, Described document) {
    if (schema == null || schema.kind() != Json.Kind.OBJECT) {
      return Json.EMPTY_OBJECT;
    }
    String text = schema.toString();
    if (!text.contains("\"$ref\"")) {
      return schema;
    }
    Json moved = moved(schema, "#/components/schemas/" + JsonPointer.inFragment(name));
    document.schema(name, moved);
    return moved;
  }

  private static Json moved(Json value, String place) {
    return switch (value.kind()) {
      case ARRAY ->
        Json.of(value.elements().stream().map(each -> moved(each, place)).toList());
      case OBJECT -> {
        JsonObjectBuilder copy = new JsonObjectBuilder();
        value.members().forEach((name, member) -> {
          String reference = name.equals("$ref") ? member.string() : null;
          copy.put(
              name,
              reference != null && reference.startsWith("#")
                  ? place + reference.substring(1)
                  : moved(member, place));
        });
        yield copy.build();
      }
      default -> value;
    };
  }
}
