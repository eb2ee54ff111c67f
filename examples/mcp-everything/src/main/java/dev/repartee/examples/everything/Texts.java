package dev.repartee.examples.everything;

import dev.repartee.Param;
import dev.repartee.Rpc;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.ToolException;

/** Tools that answer in words: Java methods, whose parameters are the arguments. */
final class Texts {
  @Rpc("test_simple_text")
  @McpTool(value = "Answers one line of text", readOnly = true, openWorld = false)
  public String simple() {
    return "This is a simple text response for testing.";
  }

  @Rpc("test_error_handling")
  @McpTool(value = "Fails, and tells the model why", readOnly = true, openWorld = false)
  public String fail() {
    throw new ToolException("This tool intentionally returns an error for testing");
  }

  /** What a text consists of. As the result of a tool, a record is structured content. */
  record Measures(
      @Param(description = "Words, by the white space between them")
      int words,

      @Param(description = "Characters, as Unicode counts them")
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
