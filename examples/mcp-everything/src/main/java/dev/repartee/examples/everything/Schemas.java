package dev.repartee.examples.everything;

import dev.repartee.Json;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.ToolResult;
import java.util.List;

/** Tools whose arguments are told by a JSON Schema of one's own, which clients get as it is. */
final class Schemas {
  private static final Json CONTACT = Json.parse("""
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
          "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {
              "street": { "type": "string" },
              "city": { "type": "string" }
            }
          }
        },
        "properties": {
          "name": { "type": "string" },
          "address": { "$ref": "#/$defs/address" },
          "contactMethod": { "type": "string", "enum": ["phone", "email"] },
          "phone": { "type": "string" },
          "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
      }
      """);

  private static final Json QUERY = Json.parse("""
      {
        "type": "object",
        "properties": {
          "region": {
            "type": "string",
            "description": "Where to ask; repeated in the header, so that a gateway can choose the place",
            "x-mcp-header": "Region"
          }
        },
        "required": ["region"]
      }
      """);

  private static final Json POINTS = Json.parse("""
      {
        "type": "object",
        "properties": { "points": { "type": "integer", "minimum": 0 } },
        "required": ["points"]
      }
      """);

  private Schemas() {}

  static List<Tool> tools() {
    return List.of(
        Tool.named("json_schema_2020_12_tool")
            .description("Tool with JSON Schema 2020-12 features")
            .input(CONTACT)
            .handle((call, arguments) -> ToolResult.text("A contact: " + arguments)),
        Tool.named("test_custom_header")
            .description("Answers where it was asked, which clients repeat in a header")
            .input(QUERY)
            .readOnly(true)
            .handle((call, arguments) -> "Asked in " + arguments.as(Query.class).region()),
        Tool.named("score")
            .title("Score")
            .description("Tells the score, for a model to read and for programs to use")
            .output(POINTS)
            .icons(Media.ICON)
            .readOnly(true)
            .meta(Json.parse("{\"dev.repartee/since\":\"0.1\"}"))
            .handle((call, arguments) -> ToolResult.structured(new Score(3))));
  }

  record Query(String region) {}

  record Score(int points) {}
}
