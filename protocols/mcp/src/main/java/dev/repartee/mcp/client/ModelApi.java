package dev.repartee.mcp.client;

/** The forms of a list of tools for model APIs; see {@link McpClient#toolsFor}. */
public enum ModelApi {
  /** The entries of {@code tools/list}, unchanged. */
  MCP,
  /** Anthropic Messages: {@code name}, {@code description}, {@code input_schema}. */
  ANTHROPIC,
  /** OpenAI Responses: {@code type: function} with {@code name} and {@code parameters}. */
  OPENAI,
  /** OpenAI Chat Completions: the form of {@link #OPENAI} nested in {@code function}. */
  OPENAI_CHAT,
  /** Gemini: one object with {@code functionDeclarations}. */
  GEMINI
}
