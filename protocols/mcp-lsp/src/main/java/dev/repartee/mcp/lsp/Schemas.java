package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.mcp.workspace.ToolSchemas;

/** The JSON Schemas of the tools. */
final class Schemas {
  static final String FILE = "\"file\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The"
      + " path of a file: relative to the workspace folder, or absolute inside of it.\"}";

  static final String LIMIT = "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000,"
      + "\"description\":\"The maximum number of results. Default: 100.\"}";

  private static final String POSITION = FILE
      + ",\"line\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000000,\"description\":\"The"
      + " line, counted from 1. May be left out beside 'symbol': then the first occurrence in the"
      + " file counts.\"},"
      + "\"symbol\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":" + Spot.MAX_SYMBOL
      + ",\"description\":\"The name at the position,"
      + " exactly as it stands in the line. Preferred to 'column'. The first occurrence in the line"
      + " counts.\"},"
      + "\"column\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000000,\"description\":\"The"
      + " column, counted from 1 in characters. Not needed beside 'symbol'.\"}";

  private static final String PLACE = "\"file\":{\"type\":\"string\"},"
      + "\"line\":{\"type\":\"integer\"},\"column\":{\"type\":\"integer\"},"
      + "\"endLine\":{\"type\":\"integer\"},\"endColumn\":{\"type\":\"integer\"},"
      + "\"text\":{\"type\":\"string\",\"description\":\"The source line.\"}";

  private static final String REQUIRED = "\"file\",\"line\",\"column\",\"endLine\",\"endColumn\"";

  private static final String BUSY = ",\"busy\":{\"type\":\"string\",\"description\":\"The activity"
      + " of a language server that is busy, so that the result may be incomplete.\"}";

  static final Json HOVER = result(
      "\"contents\"",
      "\"contents\":{\"type\":\"string\",\"description\":\"Markdown; empty if the language server"
          + " knows nothing.\"}");

  static final Json LOCATIONS = list("locations", "", "");

  static final Json SYMBOLS = list(
      "symbols",
      "\"name\":{\"type\":\"string\"},\"kind\":{\"type\":\"string\"},"
          + "\"container\":{\"type\":\"string\"},\"detail\":{\"type\":\"string\"},",
      "");

  static final Json DIAGNOSTICS = list(
      "diagnostics",
      "\"severity\":{\"enum\":[\"error\",\"warning\",\"information\",\"hint\"]},"
          + "\"message\":{\"type\":\"string\"},\"code\":{\"type\":\"string\"},"
          + "\"source\":{\"type\":\"string\"},",
      ",\"complete\":{\"type\":\"boolean\",\"description\":\"False if the language server has not"
          + " reported in time, or is busy.\"}");

  static final Json CHANGES = list(
      "changes",
      "\"oldText\":{\"type\":\"string\"},\"newText\":{\"type\":\"string\"},",
      ",\"files\":{\"type\":\"integer\"},\"applied\":{\"type\":\"boolean\",\"description\":\"Whether"
          + " the files were written.\"}");

  private Schemas() {}

  /** Returns the schema of arguments with a position; {@code more} are further properties. */
  static Json position(String more) {
    return position(more, "");
  }

  /** {@code required} begins with a comma, unless it is empty. */
  static Json position(String more, String required) {
    return ToolSchemas.object("\"file\"" + required, POSITION + (more.isEmpty() ? "" : "," + more));
  }

  /** Returns the schema of a result: a list of places with further properties. */
  private static Json list(String name, String properties, String more) {
    return result(
        "\"" + name + "\",\"total\"",
        "\"" + name + "\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":["
            + REQUIRED + "],\"properties\":{" + properties + PLACE + "}}},"
            + "\"total\":{\"type\":\"integer\",\"description\":\"The number of all results, of"
            + " which the list may have only the first.\"}" + more);
  }

  /** Returns the schema of an {@link Answer}. */
  private static Json result(String required, String properties) {
    return Json.parse("{\"type\":\"object\",\"required\":[" + required + "],\"properties\":{"
        + properties + BUSY + "}}");
  }
}
