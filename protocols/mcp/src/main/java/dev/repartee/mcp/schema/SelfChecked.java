package dev.repartee.mcp.schema;

/**
 * Marks a handler of a tool that checks its arguments itself, and throws {@link
 * ArgumentsException} for those that do not fit. Neither its arguments nor its results are checked
 * against the schemas of the tool.
 */
public interface SelfChecked {}
