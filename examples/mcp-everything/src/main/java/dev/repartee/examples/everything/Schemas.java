package dev.repartee.examples.everything;

import dev.repartee.json.Json;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.ToolResult;
import java.util.List;

/** Tools with handwritten JSON Schemas, which clients get unchanged. */
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
            "description": "The region to ask; repeated in a header, so that a gateway can route by it",
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
            .description("Returns the region it was asked in, which clients repeat in a header")
            .input(QUERY)
            .readOnly(true)
            .handle((call, arguments) -> "Asked in " + arguments.as(Query.class).region()),
        Tool.named("score")
            .title("Score")
            .description("Returns the score, as text for models and as data for programs")
            .output(POINTS)
            .icons(Media.ICON)
            .readOnly(true)
            .meta(Json.parse("{\"dev.repartee/since\":\"0.1\"}"))
            .handle((call, arguments) -> ToolResult.structured(new Score(3))));
  }

  record Query(String region) {}

  record Score(int points) {}
}
