package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.types.ToolException;

/** Tools that return text or data: Java methods, with their parameters as arguments. */
final class Texts {
  @Rpc("test_simple_text")
  @McpTool(value = "Returns one line of text", readOnly = true, openWorld = false)
  public String simple() {
    return "This is a simple text response for testing.";
  }

  @Rpc("test_error_handling")
  @McpTool(value = "Fails, with a reason for the model", readOnly = true, openWorld = false)
  public String fail() {
    throw new ToolException("This tool intentionally returns an error for testing");
  }

  /** The size of a text. A record as the result of a tool becomes structured content. */
  record Measures(
      @Param(description = "The number of words, separated by white space")
      int words,

      @Param(description = "The number of Unicode characters")
      int characters) {}

  @Rpc("measure_text")
  @McpTool(
      value = "Counts the words and characters of a text",
      title = "Measure a text",
      readOnly = true,
      idempotent = true,
      openWorld = false)
  public Measures measure(@Param(description = "What to measure") String text) {
    int words = text.isBlank() ? 0 : text.strip().split("\\s+").length;
    return new Measures(words, text.codePointCount(0, text.length()));
  }
}
