package dev.repartee.mcp.schema;

/**
 * Marks a handler of a tool that checks its arguments itself, and throws {@link ArgumentsException}
 * if they do not match. Neither the arguments nor the results are checked against the schemas of
 * the tool.
 */
public interface SelfChecked {}
