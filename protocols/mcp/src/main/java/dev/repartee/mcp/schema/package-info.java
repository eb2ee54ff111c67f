/**
 * The input schemas of tools: {@link dev.repartee.mcp.schema.InputSchema} builds them. Not
 * exported.
 */
@NullMarked
package dev.repartee.mcp.schema;

import org.jspecify.annotations.NullMarked;
