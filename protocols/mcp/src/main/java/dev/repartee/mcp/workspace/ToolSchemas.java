package dev.repartee.mcp.workspace;

import dev.repartee.json.Json;

/** JSON Schemas of tools. */
public final class ToolSchemas {
  private ToolSchemas() {}

  /**
   * Returns the schema of an object without further members.
   *
   * @param required the quoted names of the required members, separated by commas
   * @param properties the members as JSON text, separated by commas
   */
  public static Json object(String required, String properties) {
    return Json.parse("{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":["
        + required + "],\"additionalProperties\":false}");
  }
}
