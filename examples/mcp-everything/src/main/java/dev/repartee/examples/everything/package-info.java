/**
 * An MCP server that uses every feature of {@code dev.repartee.mcp}, and provides the tools,
 * prompts and resources that the official conformance suite calls. {@link
 * dev.repartee.examples.everything.Everything} builds the server; each other class covers one
 * topic.
 */
@NullMarked
package dev.repartee.examples.everything;

import org.jspecify.annotations.NullMarked;
