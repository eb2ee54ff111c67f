package dev.repartee.mcp.dap;

import dev.repartee.json.Json;
import dev.repartee.mcp.workspace.ToolSchemas;

/** The JSON Schemas of the tools. */
final class Schemas {
  private static final String CONFIGURATION = "\"configuration\":{\"type\":\"object\","
      + "\"description\":\"Further members of the request, which each debug adapter defines: those"
      + " of a launch configuration in an editor.\"}";

  private static final String TIMEOUT = "\"timeout\":{\"type\":\"number\",\"minimum\":0,"
      + "\"maximum\":" + Toolbox.MAX_WAIT
      + ",\"description\":\"The seconds to wait for the next stop. Default: " + Toolbox.WAIT
      + ".\"}";

  private static final String THREAD = "\"thread\":{\"type\":\"integer\",\"minimum\":-2147483648,"
      + "\"maximum\":2147483647,\"description\":\"The id of a thread. Default: the stopped one.\"}";

  private static final String FRAME = "\"frame\":{\"type\":\"string\",\"description\":\"The"
      + " reference of a frame from stack_trace, such as f1.2. Default: the innermost one.\"}";

  private static final String SCOPE = "\"scope\":{\"type\":\"string\",\"description\":\"The name"
      + " of a scope, such as Locals. Default: all.\"}";

  private static final String REFERENCE = "\"reference\":{\"type\":\"string\",\"description\":\"The"
      + " reference of a variable or a scope with members, such as v1.2. It is valid until the"
      + " program runs on.\"}";

  private static final String TEXT =
      "\"type\":\"string\",\"maxLength\":" + Breakpoints.LONGEST_TEXT;

  private static final String CONDITIONS = "\"condition\":{" + TEXT + ",\"description\":\"An"
      + " expression: stop only if it is true.\"},"
      + "\"hitCondition\":{" + TEXT + ",\"description\":\"The number of hits to stop at, in"
      + " the form of the debug adapter, such as 5 or >= 5.\"}";

  private static final String MOST = "\"maxItems\":" + Breakpoints.MAX_OF_FILE;

  static final Json NONE = ToolSchemas.object("", "");

  static final Json WAIT = ToolSchemas.object("", TIMEOUT);

  static final Json STEP = ToolSchemas.object("", THREAD + "," + TIMEOUT);

  static final Json LAUNCH = ToolSchemas.object(
      "",
      "\"program\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The path of the program:"
          + " relative to the workspace folder, or absolute.\"},"
          + "\"args\":{\"type\":\"array\",\"maxItems\":1000,\"items\":{\"type\":\"string\"},"
          + "\"description\":\"The arguments of the program.\"},"
          + "\"cwd\":{\"type\":\"string\",\"description\":\"The working directory. Default: the"
          + " workspace folder.\"},"
          + "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
          + "\"description\":\"Further environment variables.\"},"
          + "\"stopOnEntry\":{\"type\":\"boolean\",\"description\":\"Whether to stop at the start of"
          + " the program.\"}," + CONFIGURATION + "," + TIMEOUT);

  static final Json ATTACH = ToolSchemas.object(
      "",
      "\"processId\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"The id of the"
          + " process.\"}," + CONFIGURATION + "," + TIMEOUT);

  static final Json BREAKPOINTS = ToolSchemas.object(
      "\"file\",\"breakpoints\"",
      "\"file\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The path of a source file:"
          + " relative to the workspace folder, or absolute inside of it.\"},"
          + "\"breakpoints\":{\"type\":\"array\"," + MOST + ",\"items\":{\"type\":\"object\","
          + "\"required\":[\"line\"],\"additionalProperties\":false,\"properties\":{"
          + "\"line\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000000,"
          + "\"description\":\"The line, counted from 1.\"}," + CONDITIONS
          + ",\"logMessage\":{" + TEXT + ",\"description\":\"A text to print in place of"
          + " stopping; {expressions} in braces are evaluated.\"}}}}");

  static final Json FUNCTION_BREAKPOINTS = ToolSchemas.object(
      "\"breakpoints\"",
      "\"breakpoints\":{\"type\":\"array\"," + MOST + ",\"items\":{\"type\":\"object\","
          + "\"required\":[\"name\"],\"additionalProperties\":false,\"properties\":{"
          + "\"name\":{" + TEXT + ",\"minLength\":1,\"description\":\"The name of a"
          + " function.\"}," + CONDITIONS + "}}}");

  static final Json EXCEPTION_BREAKPOINTS = ToolSchemas.object(
      "\"filters\"",
      "\"filters\":{\"type\":\"array\"," + MOST + ",\"items\":{\"type\":\"object\","
          + "\"required\":[\"filter\"],\"additionalProperties\":false,\"properties\":{"
          + "\"filter\":{" + TEXT + ",\"description\":\"The name of a kind of exceptions,"
          + " such as raised or uncaught; each debug adapter has its own.\"},"
          + "\"condition\":{" + TEXT + "}}},"
          + "\"description\":\"The kinds to stop at; an empty list for none.\"}");

  static final Json STACK_TRACE = ToolSchemas.object("", THREAD + "," + paging(20));

  static final Json VARIABLES = ToolSchemas.object(
      "",
      FRAME + "," + SCOPE + "," + REFERENCE
          + ",\"path\":{\"type\":\"array\",\"maxItems\":50,\"items\":{\"type\":\"string\"},"
          + "\"description\":\"The names from a variable of the frame, or a member of the reference,"
          + " down to the one to show, such as [\\\"order\\\", \\\"items\\\"].\"},"
          + paging(Toolbox.LIMIT));

  static final Json EVALUATE = ToolSchemas.object(
      "\"expression\"",
      "\"expression\":{\"type\":\"string\",\"minLength\":1,\"description\":\"An expression in the"
          + " language of the program.\"}," + FRAME
          + ",\"context\":{\"enum\":[\"watch\",\"repl\",\"hover\"],\"description\":\"repl lets some"
          + " debug adapters run statements or their own commands. Default: watch.\"}");

  static final Json SET_VARIABLE = ToolSchemas.object(
      "\"name\",\"value\"",
      "\"name\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The name of a variable of the"
          + " frame, or of a member of the reference.\"},"
          + "\"value\":{\"type\":\"string\",\"description\":\"The value, as the language of the"
          + " program writes it.\"}," + FRAME + "," + SCOPE + "," + REFERENCE);

  static final Json DISCONNECT = ToolSchemas.object(
      "",
      "\"terminate\":{\"type\":\"boolean\",\"description\":\"Whether the program ends. Default: true"
          + " for a launched one, false for an attached one.\"}");

  // ---------------------------------------------------------------- results

  private static final String OUTPUT_MEMBERS =
      "\"output\":{\"type\":\"string\",\"description\":\"The output of the program since the last"
          + " answer.\"},\"outputDropped\":{\"type\":\"integer\"},"
          + "\"outputLeft\":{\"type\":\"integer\"}";

  private static final String FRAME_RESULT =
      "{\"type\":\"object\",\"required\":[\"frame\",\"name\"],"
          + "\"properties\":{\"frame\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
          + "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\"},"
          + "\"column\":{\"type\":\"integer\"}}}";

  private static final String STATES = "\"breakpoints\":{\"type\":\"array\",\"items\":{"
      + "\"type\":\"object\",\"required\":[\"state\"],\"properties\":{"
      + "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\"},"
      + "\"name\":{\"type\":\"string\"},"
      + "\"state\":{\"enum\":[\"verified\",\"unverified\",\"kept\"]},"
      + "\"actualLine\":{\"type\":\"integer\"},\"message\":{\"type\":\"string\"}}}}";

  private static final String VARIABLE = "{\"type\":\"object\",\"required\":[\"name\",\"value\"],"
      + "\"properties\":{\"name\":{\"type\":\"string\"},\"value\":{\"type\":\"string\"},"
      + "\"type\":{\"type\":\"string\"},\"reference\":{\"type\":\"string\"}}}";

  static final Json STATE = result(
      "\"state\"",
      "\"state\":{\"enum\":[\"stopped\",\"running\",\"ended\"]},\"reason\":{\"type\":\"string\"},"
          + "\"description\":{\"type\":\"string\"},\"thread\":{\"type\":\"integer\"},"
          + "\"frame\":" + FRAME_RESULT + ",\"source\":" + list("{\"type\":\"object\"}")
          + ",\"exitCode\":{\"type\":\"integer\"}," + STATES + "," + OUTPUT_MEMBERS);

  static final Json BREAKPOINT_STATES = result("\"breakpoints\"", STATES);

  static final Json FILTERS = result("\"filters\"", "\"filters\":" + list("{\"type\":\"object\"}"));

  static final Json FRAMES = result(
      "\"frames\"",
      "\"thread\":{\"type\":\"integer\"},\"total\":{\"type\":\"integer\"},\"frames\":"
          + list(FRAME_RESULT));

  static final Json SCOPES = result(
      "\"scopes\"",
      "\"scopes\":"
          + list("{\"type\":\"object\",\"required\":[\"name\",\"variables\"],"
              + "\"properties\":{\"name\":{\"type\":\"string\"},\"reference\":{\"type\":\"string\"},"
              + "\"variables\":" + list(VARIABLE) + ",\"more\":{\"type\":\"boolean\"}}}"));

  /** The value of an expression, or of a variable that was set; not every adapter reports it. */
  static final Json VALUE = result(
      "",
      "\"value\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"},"
          + "\"reference\":{\"type\":\"string\"}," + OUTPUT_MEMBERS);

  static final Json THREADS = result("\"threads\"", "\"threads\":" + list("{\"type\":\"object\"}"));

  static final Json OUTPUT = result("\"output\"", OUTPUT_MEMBERS);

  private Schemas() {}

  private static String paging(int limit) {
    return "\"start\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":1000000000,"
        + "\"description\":\"The number of entries to leave out. Default: 0.\"},"
        + "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":" + Toolbox.MAX_LIMIT
        + ",\"description\":\"The maximum number of entries. Default: " + limit + ".\"}";
  }

  private static String list(String items) {
    return "{\"type\":\"array\",\"items\":" + items + "}";
  }

  private static Json result(String required, String properties) {
    return Json.parse("{\"type\":\"object\",\"required\":[" + required + "],\"properties\":{"
        + properties + "}}");
  }
}
