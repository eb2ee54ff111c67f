/**
 * An MCP server that uses every feature of {@code dev.repartee.mcp}, and serves what the official
 * conformance suite calls. {@link dev.repartee.examples.everything.Everything} puts it together; each
 * other class is a theme.
 */
@NullMarked
package dev.repartee.examples.everything;

import org.jspecify.annotations.NullMarked;
