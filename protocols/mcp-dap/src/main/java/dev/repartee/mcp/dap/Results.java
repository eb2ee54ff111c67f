package dev.repartee.mcp.dap;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import java.util.List;
import java.util.Map;

/** Creates results of tools: structured content, and the same content as text. */
final class Results {
  /** The maximum number of characters of output in the result of other tools. */
  static final int OUTPUT_OF_REPORT = 8_000;

  /** The maximum length of a message of an adapter. */
  static final int LONGEST_MESSAGE = 2_000;

  private Results() {}

  static ToolResult of(String text, Map<String, ?> structured) {
    return new ToolResult(List.of(Content.text(text)), Json.of(structured), false, null);
  }

  /** Returns the unread output as the end of a text, and adds it to a result. */
  static String output(Debugger debugger, int most, Map<String, Object> structured) {
    Output.Part part = debugger.output().take(most);
    if (part.text().isEmpty()) {
      return "";
    }
    structured.put("output", part.text());
    String text = "\n\nOutput:\n" + part.text();
    if (part.dropped() > 0) {
      structured.put("outputDropped", part.dropped());
      text = "\n\n" + part.dropped() + " characters of output were dropped." + text;
    }
    if (part.left() > 0) {
      structured.put("outputLeft", part.left());
      text += "\n... " + part.left() + " more characters; call output";
    }
    return text;
  }
}
